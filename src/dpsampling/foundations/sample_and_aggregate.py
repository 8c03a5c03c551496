r"""f of each of k disjoint blocks, and one private number made of the results (Nissim et al. 2007, DP review 2019 3.6).

One record is in one block (`blocks`), so that neighbours differ in one of the results z₁ … z_k. On [a, b]:

    mean      (1/k) Σ z_j + Laplace((b − a)/(kε))                             ε-DP
    median    density ∝ exp(−(ε/2)|#{j: z_j < y} − k/2|) on [a, b]            ε-DP: |·| is a score of sensitivity 1
    smooth    median + (S/α) Z, S the smooth sensitivity of the median        what `smooth_noise` keeps

The second is constant between results: an interval of length l with j results below it has mass ∝ l e^{−ε|j − k/2|/2},
and is drawn as the first of as many exponential clocks, then a uniform point of it. Nothing is asked of f.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
from flint import arb
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from dpsampling.errors import InputError
from dpsampling.foundations.blocks import check_blocks
from dpsampling.foundations.smooth_noise import SmoothNoise
from dpsampling.foundations.smooth_sensitivity import check_odd, median_smooth_sensitivity
from dpsampling.mechanisms.calibration import check_epsilons
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.enclosure import Enclosure
from dpsampling.numerics.exact.arguments import row
from dpsampling.numerics.exact.draws import numbers
from dpsampling.numerics.exact.fixed_point import FixedPoint
from dpsampling.numerics.exact.laws import Laplace, exponential, largest, rational
from dpsampling.numerics.exact.tape import Tape
from dpsampling.privacy.guarantee import Approximate, Pure, Relation

CONDITIONS = ("neighbours differ in the results of one block at most",)


@dataclass(frozen=True)
class Blocks:
    """Results of k = `blocks` blocks, which count as the ends of [low, high] where they are outside."""

    low: float
    high: float
    blocks: int

    def __post_init__(self) -> None:
        check_blocks(self.blocks)
        if not -math.inf < self.low < self.high < math.inf:
            raise InputError(f"low is {self.low:g} and high {self.high:g}; results need a finite public interval.")

    def clipped(self, results: ArrayLike) -> Array:
        """In the interval, over the last axis; what is no number counts as its lower end."""
        values = np.asarray(results, dtype=float)
        if values.ndim == 0 or values.shape[-1] != self.blocks:
            raise InputError(f"results has shape {values.shape}; give one result for each of the {self.blocks} blocks.")
        return np.clip(np.where(np.isnan(values), self.low, values), self.low, self.high)

    def one(self, results: ArrayLike) -> Array:
        """Of one data set."""
        return self.clipped(row("results", results))


@dataclass(frozen=True)
class BlocksAtLevel(Blocks):
    """Blocks whose results are aggregated at a level ε."""

    epsilon: float
    relation: Relation = Relation.REPLACE_ONE

    def __post_init__(self) -> None:
        super().__post_init__()
        check_epsilons(self.epsilon)


@dataclass(frozen=True)
class BlockMean(BlocksAtLevel):
    """The mean of the results with Laplace noise."""

    @property
    def guarantee(self) -> Pure:
        """ε-DP; the noise of `release` has the exact scale."""
        return Pure(self.epsilon, self.relation, CONDITIONS, lambda: Enclosure(self.epsilon, self.epsilon))

    @property
    def scale(self) -> Fraction:
        """(b − a)/(kε)."""
        return (Fraction(self.high) - Fraction(self.low)) / (self.blocks * Fraction(self.epsilon))

    def release(self, results: ArrayLike, size: int | None = None) -> FixedPoint:
        """The noisy mean of one data set's results, each at the cost of the guarantee."""
        total = sum(map(Fraction, self.one(results).tolist()), Fraction(0))
        return numbers(Laplace(self.scale, total / self.blocks), size)

    def simulate(self, results: ArrayLike, rng: np.random.Generator, size: int | None = None) -> Array:
        """The same in floats for each row of results: for experiments, it protects nothing."""
        means = self.clipped(results).mean(axis=-1)
        return np.asarray(
            means + rng.laplace(0.0, float(self.scale), means.shape if size is None else (size, *means.shape))
        )

    def log_density(self, y: ArrayLike, results: ArrayLike) -> Array:
        """Of one release."""
        scale = float(self.scale)
        return -np.abs(np.asarray(y, dtype=float) - self.one(results).mean()) / scale - math.log(2.0 * scale)


@dataclass(frozen=True)
class BlockMedian(BlocksAtLevel):
    """A median of the results by the exponential mechanism."""

    @property
    def guarantee(self) -> Pure:
        """ε-DP; the rates of `release` are exact."""
        return Pure(self.epsilon, self.relation, CONDITIONS)

    def release(self, results: ArrayLike, size: int | None = None) -> FixedPoint:
        """Points near the median of one data set's results, each at the cost of the guarantee."""
        return numbers(self._program(self.one(results)), size)

    def simulate(self, results: ArrayLike, rng: np.random.Generator, size: int | None = None) -> Array:
        """The same in floats for each row of results: for experiments, it protects nothing."""
        edges = self._edges(self.clipped(results))
        if size is not None:
            edges = np.broadcast_to(edges, (size, *edges.shape))
        lengths = np.diff(edges, axis=-1)
        clocks = rng.exponential(size=lengths.shape) / np.maximum(np.exp(self._scores()) * lengths, 1e-300)
        first = np.argmin(clocks, axis=-1, keepdims=True)
        start, length = (np.take_along_axis(a, first, axis=-1)[..., 0] for a in (edges, lengths))
        return np.asarray(start + length * rng.random(start.shape))

    def log_density(self, y: ArrayLike, results: ArrayLike) -> Array:
        """Of one release; −∞ outside the interval."""
        values = np.asarray(y, dtype=float)
        edges = self._edges(self.one(results))
        with np.errstate(divide="ignore"):
            mass = logsumexp(self._scores() + np.log(np.diff(edges)))
        below = np.searchsorted(edges[1:-1], values, side="left")
        inside = (values >= self.low) & (values <= self.high)
        return np.where(inside, self._scores()[below] - mass, -np.inf)

    def _edges(self, clipped: Array) -> Array:
        ends = (*clipped.shape[:-1], 1)
        return np.concatenate([np.full(ends, self.low), np.sort(clipped, axis=-1), np.full(ends, self.high)], axis=-1)

    def _scores(self) -> Array:
        """ln of the density on the interval with j results below it, but for a constant."""
        return -0.5 * self.epsilon * np.abs(np.arange(self.blocks + 1) - self.blocks / 2.0)

    def _program(self, clipped: Array) -> Callable[[Tape], arb]:
        edges = [rational(edge) for edge in self._edges(clipped).tolist()]
        lengths = [after - before for before, after in pairwise(edges)]
        half = Fraction(self.epsilon) / 2
        scores = [rational(-half * abs(j - Fraction(self.blocks, 2))) for j in range(self.blocks + 1)]

        def program(tape: Tape) -> arb:
            rates = [arb(length) * arb(score).exp() for length, score in zip(lengths, scores, strict=True)]
            first = largest([rate / exponential(tape) for rate in rates])
            return arb(edges[first]) + arb(lengths[first]) * tape.uniform()

        return program


@dataclass(frozen=True)
class BlockSmoothMedian(Blocks):
    """The median of an odd number of results with noise fitted to its smooth sensitivity."""

    noise: SmoothNoise

    def __post_init__(self) -> None:
        super().__post_init__()
        check_odd(self.blocks)
        self.smooth(np.zeros(self.blocks))  # so that β fits

    @property
    def guarantee(self) -> Pure | Approximate:
        """The noise's, for S is smooth of itself."""
        return replace(self.noise.guarantee, conditions=CONDITIONS)

    def smooth(self, results: ArrayLike) -> Array:
        """S of each row of results."""
        return median_smooth_sensitivity(self.clipped(results), self.low, self.high, self.noise.beta)

    def release(self, results: ArrayLike, size: int | None = None) -> FixedPoint:
        """The noisy median of one data set's results, each at the cost of the guarantee."""
        values = self.one(results)
        return self.noise.release(float(np.median(values)), float(self.smooth(values)), size)

    def simulate(self, results: ArrayLike, rng: np.random.Generator, size: int | None = None) -> Array:
        """The same in floats for each row of results: for experiments, it protects nothing."""
        return self.noise.simulate(np.median(self.clipped(results), axis=-1), self.smooth(results), rng, size)

    def log_density(self, y: ArrayLike, results: ArrayLike) -> Array:
        """Of one release."""
        values = self.one(results)
        return self.noise.log_density(y, float(np.median(values)), float(self.smooth(values)))
