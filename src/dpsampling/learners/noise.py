r"""Noise on numbers v that a learner computes of private rows, from one of two sources.

    InFloats(rng)     floats of a generator: for experiments, whoever knows its seed can take the noise off again
    InBits()          ⌊2ᵇ(v + noise)⌋/2ᵇ of the exact law, by the operating system's bits: for releases (`exact`)

    laplace           density ∝ e^{−|x − v|/scale} for each number
    gaussian          N(v, σ²) for each number
    geometric         Pr(x) ∝ e^{−rate |x − v|} on the whole numbers, for each whole number v
    coins             heads with probability p, for each of so many (of a secret batch)
    radial            density ∝ e^{−rate ‖x − v‖₂} on ℝᵈ: a uniform direction, and a length Gamma(d, 1/rate)

Scales, standard deviations and rates are the exact rationals that they are given as.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Generic, Protocol, TypeVar

import numpy as np
from flint import arb
from numpy.typing import ArrayLike

from dpsampling.errors import InputError
from dpsampling.numerics.arrays import Array, Booleans, Integers
from dpsampling.numerics.exact import bits
from dpsampling.numerics.exact.draws import numbers, one_each
from dpsampling.numerics.exact.laws import Gaussian, Laplace, Rational, TwoSidedGeometric, exponential, normal, rational
from dpsampling.numerics.exact.tape import Tape

Model = TypeVar("Model")

WORD = 2**64
LEAST_RATE = 2.0**-40  # of whole-number noise, which is then beyond 2⁶² with probability below e^{−2²²}


class Noise(Protocol):
    """Where noise comes from."""

    def laplace(self, values: Array, scale: Rational) -> Array:
        """Each number with Laplace noise."""

    def gaussian(self, values: Array, sigma: Rational) -> Array:
        """Each number with Gaussian noise."""

    def geometric(self, values: Integers, rate: Rational) -> Integers:
        """Each whole number with two-sided geometric noise."""

    def radial(self, values: Array, rate: Rational) -> Array:
        """One point with noise of a uniform direction."""

    def coins(self, probability: Rational, count: int) -> Booleans:
        """Which of `count` coins show heads."""


@dataclass(frozen=True)
class InFloats:
    """Noise that a generator draws."""

    rng: np.random.Generator

    def laplace(self, values: Array, scale: Rational) -> Array:
        """v + Laplace(scale)."""
        return values + self.rng.laplace(0.0, float(scale), values.shape)

    def gaussian(self, values: Array, sigma: Rational) -> Array:
        """v + σN."""
        return values + float(sigma) * self.rng.standard_normal(values.shape)

    def geometric(self, values: Integers, rate: Rational) -> Integers:
        """The difference of two ⌊E/rate⌋."""
        first, second = np.floor(self.rng.standard_exponential((2, *values.shape)) / float(rate)).astype(np.int64)
        return values + first - second

    def radial(self, values: Array, rate: Rational) -> Array:
        """A normal direction of a Gamma length."""
        direction = self.rng.standard_normal(values.shape)
        length = self.rng.standard_gamma(values.size) / float(rate)
        return np.asarray(values + length * direction / np.linalg.norm(direction))

    def coins(self, probability: Rational, count: int) -> Booleans:
        """U < p."""
        return self.rng.random(count) < float(probability)


@dataclass(frozen=True)
class InBits:
    """Noise of the exact law."""

    def laplace(self, values: Array, scale: Rational) -> Array:
        """One exact draw each."""
        return _each(values, partial(Laplace, scale))

    def gaussian(self, values: Array, sigma: Rational) -> Array:
        """One exact draw each."""
        variance = Fraction(sigma) ** 2
        return _each(values, lambda value: Gaussian(value, variance))

    def geometric(self, values: Integers, rate: Rational) -> Integers:
        """One exact draw each."""
        tape, law = Tape(), TwoSidedGeometric(rate)
        drawn = [value + tape.draw(law) for value in values.ravel().tolist()]
        return np.array(drawn, dtype=np.int64).reshape(values.shape)

    def radial(self, values: Array, rate: Rational) -> Array:
        """One exact draw."""
        return numbers(Radial(values.ravel().tolist(), rate)).floats.reshape(values.shape)

    def coins(self, probability: Rational, count: int) -> Booleans:
        """U < p for uniforms U, of which 64 bits at a time are looked at."""
        if probability >= 1:
            return np.ones(count, dtype=bool)
        exact = Fraction(probability) * WORD
        threshold = math.floor(exact)
        first = np.frombuffer(bits.fresh(8 * count), dtype="<u8")
        heads = first < np.uint64(threshold)
        undecided = np.flatnonzero(first == np.uint64(threshold))
        if undecided.size and exact > threshold:  # one coin in 2⁶⁴
            heads[undecided] = self.coins(exact - threshold, undecided.size)
        return heads


@dataclass(frozen=True)
class Radial:
    """Density ∝ e^{−rate ‖x − centre‖₂} on ℝᵈ: E₁ + … + E_d is Gamma(d)."""

    centre: list[float]
    rate: Rational
    _at: list[arb] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_at", [arb(rational(value)) for value in self.centre])

    def __call__(self, tape: Tape) -> list[arb]:
        """One draw."""
        direction = [normal(tape) for _ in self._at]
        square, length = arb(0), arb(0)
        for x in direction:
            square += x * x
            length += exponential(tape)
        scale = length / (arb(rational(self.rate)) * square.sqrt())
        return [value + scale * x for value, x in zip(self._at, direction, strict=True)]


class Learner(ABC, Generic[Model]):
    """What learns from rows, and a number known of each, by `_learn`, with noise of either source."""

    def fit(self, rows: ArrayLike, outcomes: ArrayLike, rng: np.random.Generator, /) -> Model:
        """With noise in floats: for experiments, it protects nothing."""
        return self._learn(rows, outcomes, InFloats(rng))

    def release(self, rows: ArrayLike, outcomes: ArrayLike, /) -> Model:
        """With exact noise by the operating system's bits; each release costs the guarantee."""
        return self._learn(rows, outcomes, InBits())

    @abstractmethod
    def _learn(self, rows: ArrayLike, outcomes: ArrayLike, noise: Noise, /) -> Model:
        """With this noise."""


def check_rate(rate: Rational) -> None:
    """Of whole-number noise: sums of it have room in 64 bits."""
    if rate < LEAST_RATE:
        raise InputError(f"epsilon is too small: noise has the rate {float(rate):g}, and the least is {LEAST_RATE:g}.")


def _each(values: Array, law: Callable[[float], Callable[[Tape], arb]]) -> Array:
    return one_each([law(value) for value in values.ravel().tolist()], values.shape).floats
