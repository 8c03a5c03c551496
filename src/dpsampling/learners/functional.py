r"""The functional mechanism: noise on the coefficients of a quadratic objective, which is then minimised (Zhang et al.
2012; DP review 2019 section 5.6).

    linear      Σ (y − x·w)²                                    = const − 2 Σ y x·w + Σ (x·w)²
    logistic    Σ ln(1 + e^{x·w}) − y x·w, Taylor's at x·w = 0  ≈ const + Σ (½ − y) x·w + ⅛ Σ (x·w)²

Laplace(Δ/ε) is added to the coefficient of each monomial w_j, w_j² and w_i w_j, i < j, where ‖x‖₂ ≤ 1 and |y| ≤ 1. That
is ε-DP if a neighbour moves all of them by Δ or less in L1. The constants have no say in the minimum and stay at home.

**Δ.** A record has Σ |coefficients| = α|u|‖x‖₁ + β‖x‖₁², u = y, α = 2, β = 1 (linear), u = ½ − y, |u| ≤ ½, α = 1, β = ⅛
(logistic). With ‖x‖₁ ≤ √d that is at most p + q, p = α√d max|u|, q = βd: Δ for one record more or less, attained by
x = (1, …, 1)/√d.
For a replaced record v = ux − u′x′ and A = xxᵀ − x′x′ᵀ move, and ‖v‖₁ ≤ √d‖v‖₂, ‖A‖₁ ≤ d‖A‖_F by Cauchy and Schwarz.
Let a = ‖x‖, b = ‖x′‖, m = |x·x′| ≤ ab, and max|u| = 1 for short: ‖v‖² ≤ a² + b² + 2m and ‖A‖_F² = a⁴ + b⁴ − 2m². Both
grow with a and b while m stays, so that a = b = 1, and with s² = 1 − m

    Δ ≤ max_s √(2(2 − s²)) (p + qs),   at 2qs² + ps = 2q:  s = (√(p² + 16q²) − p)/(4q).

At d = 1 the two numbers move by p(a + b) + q(a² − b²) at most, which is 2p at a = b = 1 as p ≥ 2q: Δ = 2p. Printed is
2(d + 1)² (linear) and d²/4 + 3d (logistic), from |x_j| ≤ 1 for each j.

**The minimum** is found of what was released: 4 standard deviations of the noise are added to the diagonal of the
matrix, and directions whose eigenvalue is then not above 0 are left out (Zhang et al. 2012, section 6).
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from flint import arb
from numpy.typing import ArrayLike

from dpsampling.errors import InputError
from dpsampling.learners import rows
from dpsampling.learners.linear_model import LinearModel
from dpsampling.learners.moments import check_bounds, check_level, check_relation, moments, unit_outcomes, unit_rows
from dpsampling.learners.noise import Learner, Noise
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.enclosure import Enclosure, as_ball, enclose
from dpsampling.privacy.guarantee import Pure, Relation
from dpsampling.privacy.rounding import float_above

Variant = Literal["printed", "tight"]

RIDGE = 4  # standard deviations of the noise


@dataclass(frozen=True)
class FunctionalMechanism(Learner[LinearModel]):
    """What both objectives share: rows with a norm of at most `bound`, and which Δ is used."""

    epsilon: float
    bound: float
    variant: Variant = "tight"
    relation: Relation = Relation.REPLACE_ONE

    def __post_init__(self) -> None:
        check_level(self.epsilon)
        check_bounds(self.bound)
        if self.variant not in ("printed", "tight"):
            raise InputError(f"variant is '{self.variant}'; choose 'printed' or 'tight'.")
        check_relation(self.relation)

    @property
    def guarantee(self) -> Pure:
        """ε-DP; the noise of `release` has the exact scale."""
        return Pure(self.epsilon, self.relation, enclosed=lambda: Enclosure(self.epsilon, self.epsilon))

    def sensitivity(self, dimension: int) -> float:
        """Δ of the coefficients, rounded up."""
        if self.variant == "printed":
            return self._printed(dimension) / (1.0 if self.relation is Relation.REPLACE_ONE else 2.0)
        return coefficients_move(*self._weights(), dimension, self.relation)

    def scale(self, dimension: int) -> Fraction:
        """Δ/ε."""
        return Fraction(self.sensitivity(dimension)) / Fraction(self.epsilon)

    @abstractmethod
    def coefficients(self, features: ArrayLike, outcomes: ArrayLike) -> Array:
        """Of w_1 … w_d, then of w_i w_j row by row, i ≤ j, without noise and therefore private."""

    def _learn(self, features: ArrayLike, outcomes: ArrayLike, noise: Noise, /) -> LinearModel:
        dimension = rows.matrix("features", features).shape[1]
        scale = self.scale(dimension)
        noisy = noise.laplace(self.coefficients(features, outcomes), scale)
        weights, kept = minimum(noisy, dimension, RIDGE * math.sqrt(2.0) * float(scale))
        told = {"sensitivity": self.sensitivity(dimension), "scale": float(scale), "directions": float(kept)}
        return LinearModel(self._in_units(weights), self.guarantee, told)

    def _in_units(self, weights: Array) -> Array:
        return weights / self.bound

    @abstractmethod
    def _printed(self, dimension: int) -> float:
        """Δ of a replaced record as printed."""

    @abstractmethod
    def _weights(self) -> tuple[Fraction, Fraction]:
        """p/√d and q/d."""


@dataclass(frozen=True, kw_only=True)
class FunctionalLinear(FunctionalMechanism):
    """Least squares of outcomes y with |y| ≤ `outcome_bound`; those beyond are clipped."""

    outcome_bound: float

    def __post_init__(self) -> None:
        super().__post_init__()
        check_bounds(self.bound, self.outcome_bound)

    def coefficients(self, features: ArrayLike, outcomes: ArrayLike) -> Array:
        """−2 Σ y x_j, and Σ x_j², 2 Σ x_i x_j."""
        unit = unit_rows(features, self.bound)
        gram, cross = moments(unit, unit_outcomes(outcomes, len(unit), self.outcome_bound))
        return _packed(-2.0 * cross, gram)

    def _in_units(self, weights: Array) -> Array:
        return weights * (self.outcome_bound / self.bound)

    def _printed(self, dimension: int) -> float:
        return 2.0 * (dimension + 1.0) ** 2

    def _weights(self) -> tuple[Fraction, Fraction]:
        return Fraction(2), Fraction(1)


@dataclass(frozen=True)
class FunctionalLogistic(FunctionalMechanism):
    """Taylor's second-order logistic regression of labels 0 and 1."""

    def coefficients(self, features: ArrayLike, outcomes: ArrayLike) -> Array:
        """Σ (½ − y) x_j, and Σ x_j²/8, Σ x_i x_j/4."""
        unit = unit_rows(features, self.bound)
        labels = rows.labels(outcomes, len(unit))
        gram, cross = moments(unit, np.where(labels == 1, -0.5, 0.5))
        return _packed(cross, gram / 8.0)

    def _printed(self, dimension: int) -> float:
        return dimension**2 / 4.0 + 3.0 * dimension

    def _weights(self) -> tuple[Fraction, Fraction]:
        return Fraction(1, 2), Fraction(1, 8)


def coefficients_move(alpha: Fraction, beta: Fraction, dimension: int, relation: Relation) -> float:
    """Δ for p = α√d and q = βd with α ≥ 2β, rounded up."""
    if relation is Relation.REPLACE_ONE and dimension == 1:
        return float_above(2 * alpha)

    def moved() -> arb:
        p, q = as_ball(alpha) * as_ball(dimension).sqrt(), as_ball(beta * dimension)
        if relation is Relation.ADD_OR_REMOVE_ONE:
            return p + q
        s = ((p * p + 16 * q * q).sqrt() - p) / (4 * q)
        return (2 * (2 - s * s)).sqrt() * (p + q * s)

    return enclose(moved).upper


def minimum(noisy: Array, dimension: int, ridge: float) -> tuple[Array, int]:
    """The minimum of the noisy polynomial + ridge‖w‖² where it curves upwards, and in how many directions it does."""
    linear, matrix = noisy[:dimension], np.zeros((dimension, dimension))
    matrix[np.triu_indices(dimension)] = noisy[dimension:]
    matrix = (matrix + matrix.T) / 2.0 + ridge * np.eye(dimension)
    values, vectors = np.linalg.eigh(matrix)
    curved = values > 0.0
    inverse = np.divide(1.0, values, out=np.zeros_like(values), where=curved)
    return -0.5 * (vectors @ (inverse * (vectors.T @ linear))), int(curved.sum())


def _packed(linear: Array, matrix: Array) -> Array:
    """The coefficients of a·w + wᵀMw: a product of two different ones has both entries."""
    both = 2.0 * matrix - np.diag(np.diag(matrix))
    return np.concatenate([linear, both[np.triu_indices(len(linear))]])
