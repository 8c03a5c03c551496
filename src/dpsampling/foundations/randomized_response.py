r"""Randomized response, the review's of bits and that of several answers (DP review 2019 Definition 3.1 and after).

    bits       0 is reported as 1 with probability p, 1 as 0 with probability q, each bit by itself
    choices    the true one of d answers with probability e^ε/(e^ε + d − 1), each other one with 1/(e^ε + d − 1)

A bit that is replaced multiplies the probability of a report by one of (1−p)/q, p/(1−q) and their inverses, and of
answers by e^ε, 1 or e^{−ε}. So with c the largest of the four, a replaced bit costs ln c and no less (Proposition 3.2),
and d replaced ones cost d ln c where each has the ratio c. The numbers p, q, ε are the rationals that their floats are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.errors import InputError
from dpsampling.numerics.arrays import Array, Integers
from dpsampling.numerics.enclosure import Enclosure, as_ball, enclose
from dpsampling.numerics.exact import bits as random_bits
from dpsampling.numerics.exact.arguments import check_size, row
from dpsampling.numerics.exact.draws import integers
from dpsampling.numerics.exact.fixed_point import FixedPoint
from dpsampling.numerics.exact.laws import Categorical
from dpsampling.privacy.guarantee import Pure, Relation


@dataclass(frozen=True)
class RandomizedResponse:
    """Bits, of which 0 is flipped with probability `p` and 1 with probability `q`."""

    p: float | Fraction
    q: float | Fraction

    def __post_init__(self) -> None:
        for name, value in (("p", self.p), ("q", self.q)):
            if not 0 < value < 1:
                raise InputError(f"{name} is {float(value):g}; a flip needs a probability above 0 and below 1.")

    @classmethod
    def symmetric(cls, epsilon: float) -> Self:
        """p = q = 1/(1 + e^ε), rounded up, so that the level is at most ε."""
        _check_epsilon(epsilon)
        flip = enclose(lambda: 1 / (1 + as_ball(epsilon).exp())).upper
        return cls(flip, flip)

    @classmethod
    def asymmetric(cls, epsilon: float) -> Self:
        """p = ½ and q = e^{−ε}/2, rounded up: (1 − q)/p = 2 − e^{−ε} is below (1 − p)/q = e^ε."""
        _check_epsilon(epsilon)
        return cls(0.5, enclose(lambda: (-as_ball(epsilon)).exp() / 2).upper)

    @property
    def ratio(self) -> Fraction:
        """c = max{(1−p)/q, p/(1−q), q/(1−p), (1−q)/p}."""
        p, q = Fraction(self.p), Fraction(self.q)
        return max((1 - p) / q, p / (1 - q), q / (1 - p), (1 - q) / p)

    @property
    def guarantee(self) -> Pure:
        """ln c for one bit that is replaced."""

        def enclosed() -> Enclosure:
            return enclose(lambda: as_ball(self.ratio).log())

        return Pure(enclosed().upper, Relation.REPLACE_ONE, ("each record is one bit",), enclosed)

    def release(self, bits: ArrayLike, size: int | None = None) -> FixedPoint:
        """Reports of all bits of one data set, by uniform whole numbers below the common denominator of p and q."""
        true = [int(bit) for bit in check_answers("bits", row("bits", bits), 2)]
        chances = Fraction(self.p), Fraction(self.q)
        denominator = math.lcm(*(chance.denominator for chance in chances))
        most = [int(chance * denominator) for chance in chances]
        count = 1 if size is None else check_size(size)
        reports = [[bit ^ (random_bits.below(denominator) < most[bit]) for bit in true] for _ in range(count)]
        return FixedPoint.of(reports if size is not None else reports[0], 0)

    def simulate(self, bits: ArrayLike, rng: np.random.Generator, size: int | None = None) -> Integers:
        """Reports in floats, for each row of bits: for experiments, it protects nothing."""
        true = check_answers("bits", bits, 2)
        shape = true.shape if size is None else (size, *true.shape)
        flipped = rng.random(shape) < np.where(true == 1, float(self.q), float(self.p))
        return np.asarray(true ^ flipped)

    def log_density(self, reports: ArrayLike, bits: ArrayLike) -> Array:
        """ln Pr(reports), over the last axis."""
        true, said = check_answers("bits", bits, 2), check_answers("reports", reports, 2)
        flip = np.where(true == 1, float(self.q), float(self.p))
        return np.asarray(np.where(true == said, np.log1p(-flip), np.log(flip)).sum(axis=-1))


@dataclass(frozen=True)
class RandomizedChoice:
    """Answers 0 … `outcomes` − 1, each told truthfully with probability e^ε/(e^ε + outcomes − 1)."""

    epsilon: float
    outcomes: int

    def __post_init__(self) -> None:
        _check_epsilon(self.epsilon)
        if self.outcomes < 2:
            raise InputError(f"outcomes is {self.outcomes}; a choice needs two answers or more.")

    @property
    def guarantee(self) -> Pure:
        """ε for one answer that is replaced, to the last digit: `release` draws with the weights e^ε and 1."""

        def enclosed() -> Enclosure:
            return Enclosure(self.epsilon, self.epsilon)

        return Pure(self.epsilon, Relation.REPLACE_ONE, ("each record is one answer",), enclosed)

    @property
    def lie(self) -> float:
        """The probability that an answer is not the true one."""
        others = (self.outcomes - 1) * math.exp(-self.epsilon)
        return others / (1.0 + others)

    def release(self, answers: ArrayLike, size: int | None = None) -> FixedPoint:
        """Reports of all answers of one data set."""
        true = [int(answer) for answer in check_answers("answers", row("answers", answers), self.outcomes)]
        count = 1 if size is None else check_size(size)
        laws = [
            Categorical([Fraction(self.epsilon) * (other == answer) for other in range(self.outcomes)])
            for answer in true
        ]
        reports = np.array([integers(law, count).tolist() for law in laws], dtype=object).T
        return FixedPoint(reports if size is not None else reports[0], 0)

    def simulate(self, answers: ArrayLike, rng: np.random.Generator, size: int | None = None) -> Integers:
        """Reports in floats, for each row of answers: for experiments, it protects nothing."""
        true = check_answers("answers", answers, self.outcomes)
        shape = true.shape if size is None else (size, *true.shape)
        step = rng.integers(1, self.outcomes, shape)  # to another answer, each alike
        return np.asarray(np.where(rng.random(shape) < self.lie, (true + step) % self.outcomes, true))

    def log_density(self, reports: ArrayLike, answers: ArrayLike) -> Array:
        """ln Pr(reports), over the last axis."""
        true = check_answers("answers", answers, self.outcomes)
        same = true == check_answers("reports", reports, self.outcomes)
        whole = math.log1p((self.outcomes - 1) * math.exp(-self.epsilon))
        return np.asarray(np.where(same, 0.0, -self.epsilon).sum(axis=-1) - whole * np.shape(same)[-1])


def check_answers(name: str, answers: ArrayLike, outcomes: int) -> Integers:
    """Whole numbers 0 … outcomes − 1, one for each record along the last axis."""
    values = np.asarray(answers, dtype=float)
    if values.ndim == 0 or values.shape[-1] == 0:
        raise InputError(f"{name} has shape {values.shape}; give a list with one answer for each record.")
    good = (values >= 0) & (values < outcomes) & (values == np.floor(values))
    if not np.all(good):
        raise InputError(
            f"{name} holds {values[~good].flat[0]:g}; each must be a whole number from 0 to {outcomes - 1}."
        )
    return values.astype(np.int64)


def _check_epsilon(epsilon: float) -> None:
    if not 0 < epsilon < math.inf:
        raise InputError(f"epsilon is {epsilon:g}; randomized response needs a finite ε above 0, such as 1.")
