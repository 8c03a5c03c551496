r"""Boosted bins: a sum of one shape a column, by cyclic boosting with Gaussian noise (Nori et al. 2021, DP-EBM).

A row with codes k₁ … k_m has the score f = Σ_j s_j(k_j), and label 1 with probability 1/(1 + e^{−f}). Released are,
once, the number of rows in each bin of each column, with noise of standard deviation σ₀; then E times, for each column,

    r_i = y_i − 1/(1 + e^{−f_i}) ∈ [−1, 1],      R_b = Σ_{i in segment b} r_i + N(0, σ²)
    s_j(k) += η clip(R_b/(w_b + κσ), ±1)         for the bins k of segment b, w_b ≥ 0 its noisy number of rows

where a number's segments are some random neighbours among its bins, of a public seed, and a category's are its levels.
η, κ, E and the segments are public. A row is in one bin and in one segment of a column, and what it adds there hangs on
itself and on what was released before. So a row more or less moves the counts by √m in L2 and a step's sums by at most
1; a row in place of another by √(2m) and at most 2, if both are in one segment with residuals 1 and −1. Gaussian
releases compose, each possibly chosen after seeing the earlier ones (Dong et al. 2022), to

    μ² = m/σ₀² + E m/σ²          add or remove one          μ² = 2m/σ₀² + 4 E m/σ²          replace one

Of μ², the exact one for (ε, δ), the counts take a public share. Scores are multiples of 2⁻¹⁰, and residuals stand in a
table of them, cut to the grid of `rows`: no sum has a rounding that hangs on the order of the rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.errors import InputError
from dpsampling.learners import rows
from dpsampling.learners.columns import Codes, Columns
from dpsampling.learners.linear_model import ScoredModel
from dpsampling.learners.moments import check_relation
from dpsampling.learners.noise import Learner, Noise
from dpsampling.numerics.arrays import Array, Indices
from dpsampling.privacy.gaussian_dp import GaussianDP, largest_mu, root_above
from dpsampling.privacy.guarantee import Approximate, Guarantee, Relation

FINE: Final = 2**10  # scores are whole numbers of 1/FINE
FAR: Final = 16 * FINE  # beyond, residuals are those at ±16


@dataclass(frozen=True, eq=False)
class ShapesModel(ScoredModel):
    """What each place of the columns adds to a row's score, and what that cost."""

    columns: Columns
    shapes: Array
    guarantee: Guarantee | None  # none without privacy

    def scores(self, cells: ArrayLike, /) -> Array:
        """f of each row."""
        return self.scores_at(self.columns.placed(cells))

    def scores_at(self, places: Codes) -> Array:
        """The same of rows whose places are known."""
        return np.asarray(sum(self.shapes[column] for column in places.T))


@dataclass(frozen=True)
class Steps:
    """What is public of the boosting."""

    seed: int  # of the segments
    rounds: int = 10  # E
    rate: float = 1.0  # η
    segments: int = 4  # of a number's bins
    shrinkage: float = 10.0  # κ

    def __post_init__(self) -> None:
        for name, value in (("rounds", self.rounds), ("segments", self.segments)):
            if not (value >= 1 and float(value).is_integer()):
                raise InputError(f"{name} is {value:g}; it must be a whole number, 1 or more.")
        if not 0 < self.rate <= 16:
            raise InputError(f"rate is {self.rate:g}; it must be above 0, at most 16.")
        if not 0 <= self.shrinkage < math.inf:
            raise InputError(f"shrinkage is {self.shrinkage:g}; it must be 0 or more, and finite.")


@dataclass(frozen=True)
class BoostedBins(Learner[ShapesModel]):
    """E rounds over the columns at (ε, δ); labels are 0 and 1."""

    columns: Columns
    epsilon: float
    delta: float
    steps: Steps
    counts_share: float = 0.1  # of μ²
    relation: Relation = Relation.ADD_OR_REMOVE_ONE
    mu: float = field(init=False)

    def __post_init__(self) -> None:
        check_relation(self.relation)
        if not 0 < self.counts_share < 1:
            raise InputError(f"counts_share is {self.counts_share:g}; it must be above 0 and below 1.")
        object.__setattr__(self, "mu", largest_mu(self.epsilon, self.delta))
        if self.mu == 0:
            raise InputError(
                f"delta is {self.delta:g} at epsilon {self.epsilon:g}; no finite noise keeps that: raise one of them."
            )

    @property
    def gaussian(self) -> GaussianDP:
        """All that is promised: μ-Gaussian differential privacy."""
        return GaussianDP(self.mu, self.relation)

    @property
    def guarantee(self) -> Approximate:
        """(ε, δ), by the exact curve."""
        return Approximate(self.epsilon, self.delta, self.relation)

    @property
    def sigma_of_counts(self) -> float:
        """σ₀, rounded up."""
        moved = self.columns.count * (2 if self.relation is Relation.REPLACE_ONE else 1)
        return root_above(moved / (Fraction(self.counts_share) * Fraction(self.mu) ** 2))

    @property
    def sigma_of_sums(self) -> float:
        """σ, rounded up."""
        moved = self.steps.rounds * self.columns.count * (4 if self.relation is Relation.REPLACE_ONE else 1)
        return root_above(moved / ((1 - Fraction(self.counts_share)) * Fraction(self.mu) ** 2))

    def noisy(self, codes: Codes, labels: Indices, noise: Noise) -> ShapesModel:
        """The model of rows whose codes are known."""
        added = Added(noise, self.sigma_of_counts, self.sigma_of_sums)
        return ShapesModel(self.columns, boost(self.columns, self.steps, codes, labels, added), self.guarantee)

    def _learn(self, cells: ArrayLike, labels: ArrayLike, noise: Noise, /) -> ShapesModel:
        codes = self.columns.codes(cells)
        return self.noisy(codes, rows.labels(labels, len(codes)), noise)


class Added(NamedTuple):
    """Noise on counts and on sums."""

    noise: Noise
    sigma_of_counts: float
    sigma_of_sums: float


def boost(columns: Columns, steps: Steps, codes: Codes, labels: Indices, added: Added | None = None) -> Array:
    """Return what each place adds to a score; without noise it protects nothing."""
    by_column = np.ascontiguousarray(codes.T)
    counts = counted(columns, codes)
    slack = 1.0
    if added is not None:
        counts = added.noise.gaussian(counts, added.sigma_of_counts)
        slack = max(1.0, steps.shrinkage * added.sigma_of_sums)
    shapes = np.zeros(columns.places, dtype=np.intp)
    scores = np.zeros(len(codes), dtype=np.intp)
    rng = np.random.default_rng(steps.seed)
    for _ in range(steps.rounds):
        for j, mine in enumerate(by_column):
            here = slice(columns.starts[j], columns.starts[j] + columns.sizes[j])
            segment = segments(columns, j, steps.segments, rng)
            size = int(segment[-1]) + 1
            sums: Array = np.bincount(segment[mine], residuals(scores, labels), size).astype(np.float64)
            if added is not None:
                sums = added.noise.gaussian(sums, added.sigma_of_sums)
            held = np.maximum(np.bincount(segment, counts[here], size), 0.0)
            moves = np.rint(FINE * steps.rate * np.clip(sums / (held + slack), -1.0, 1.0)).astype(np.intp)[segment]
            shapes[here] += moves
            scores += moves[mine]
    return shapes / FINE


def segments(columns: Columns, j: int, most: int, rng: np.random.Generator) -> Indices:
    """The segment of each bin of a column: a category's levels, or runs of a number's bins between random cuts."""
    size = columns.sizes[j]
    if not columns.numeric[j] or size <= most:
        return np.arange(size)
    cuts = rng.choice(size - 1, most - 1, replace=False) + 1
    return np.cumsum(np.isin(np.arange(size), cuts))


def residuals(scores: Indices, labels: Indices) -> Array:
    """y − 1/(1 + e^{−f}) on the grid, of scores in units of 1/FINE."""
    return _RESIDUALS[labels, np.clip(scores, -FAR, FAR) + FAR]


def counted(columns: Columns, codes: Codes) -> Array:
    """The number of rows at each place of the columns."""
    return np.bincount((codes + np.array(columns.starts)).ravel(), minlength=columns.places).astype(np.float64)


def _table() -> Array:
    chance = 1.0 / (1.0 + np.exp(-np.arange(-FAR, FAR + 1) / FINE))
    return rows.on_grid(np.stack([-chance, 1.0 - chance]))


_RESIDUALS: Final = _table()
