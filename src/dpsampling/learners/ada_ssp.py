r"""AdaSSP: ridge regression of noisy moments, with a ridge that is as small as the data allow (Wang 2018, Algorithm 2).

With ‖x‖₂ ≤ 1 and |y| ≤ 1, independent Gaussian noise of standard deviation s on three statistics of the same rows,

    λ̃ = max{λ_min(XᵀX) + sZ − s√ln(6/δ), 0},       λ = max{0, s√(d ln(2d²/ϱ)) − λ̃},  ϱ = .05
    w = (XᵀX + sZ_sym + λI)⁻¹ (Xᵀy + sz)

of which λ is post-processing. Printed is s = √ln(6/δ)/(ε/3), of three steps that are (ε/3, δ/3) each: they are not, but
all together are (ε, δ) for a while (docs/learners-regression.md). Exact is what the three are as one Gaussian vector.

**One record more or less** moves λ_min by ‖x‖² or less (Weyl), the upper triangle of XᵀX by √(Σ_{i≤j} x_i²x_j²) ≤ ‖x‖²
and Xᵀy by |y|‖x‖: together √3 in L2, which is attained (XᵀX = diag(0, 1, …, 1), x = e₁, y = 1). So the whole is
μ-Gaussian-DP with μ = √3/s, no matter in which order the three are drawn.
**One record replaced**: λ_min moves by 1 or less still, as it falls with what is taken away and rises with what comes.
With m = |x·x′|, ‖yx − y′x′‖² ≤ 2 + 2m and ‖xxᵀ − x′x′ᵀ‖_F² ≤ 2 − 2m² (`functional`), and 5 + 2m − 2m² is 5½ at most.

The exact s is the least for (ε, δ): s = √3/μ, or √5½/μ, for the largest μ with δ(ε) ≤ δ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.errors import InputError
from dpsampling.learners import rows
from dpsampling.learners.linear_model import LinearModel
from dpsampling.learners.moments import (
    check_bounds,
    check_level,
    check_relation,
    least_eigenvalue,
    moments,
    unit_outcomes,
    unit_rows,
)
from dpsampling.learners.noise import Learner, Noise
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.enclosure import as_ball, enclose
from dpsampling.privacy.gaussian_dp import GaussianDP, largest_mu, root_above
from dpsampling.privacy.guarantee import Approximate, Relation
from dpsampling.privacy.rounding import float_above

Variant = Literal["printed", "exact"]

MOVED_SQUARES = {Relation.ADD_OR_REMOVE_ONE: Fraction(3), Relation.REPLACE_ONE: Fraction(11, 2)}
FAILURE = 0.05  # ϱ: how often the ridge may be too small for the noise


@dataclass(frozen=True)
class AdaSSP(Learner[LinearModel]):
    """(ε, δ)-DP least squares of rows with norms up to `bound` and outcomes up to ± `outcome_bound`."""

    epsilon: float
    delta: float
    bound: float
    outcome_bound: float
    variant: Variant = "exact"
    relation: Relation = Relation.ADD_OR_REMOVE_ONE

    def __post_init__(self) -> None:
        check_level(self.epsilon)
        check_bounds(self.bound, self.outcome_bound)
        if not 0 < self.delta < 1:
            raise InputError(f"delta is {self.delta:g}; it must be above 0 and below 1.")
        if self.variant not in ("printed", "exact"):
            raise InputError(f"variant is '{self.variant}'; choose 'printed' or 'exact'.")
        check_relation(self.relation)
        if math.isinf(self.sigma):
            raise InputError(
                f"delta is {self.delta:g} at epsilon {self.epsilon:g}; no finite noise keeps that: raise one of them."
            )
        if self.variant == "printed":
            spent = self.gaussian.delta(self.epsilon)
            if spent > self.delta:
                raise InputError(
                    f"epsilon is {self.epsilon:g}; there the printed noise has δ = {spent:.3g}, above {self.delta:g}: "
                    "use the exact one."
                )

    @cached_property
    def sigma(self) -> float:
        """s, rounded up."""
        if self.variant == "printed":
            return printed_sigma(self.epsilon, self.delta)
        mu = largest_mu(self.epsilon, self.delta)
        return root_above(MOVED_SQUARES[self.relation] / Fraction(mu) ** 2) if mu > 0 else math.inf

    @property
    def gaussian(self) -> GaussianDP:
        """All that the three statistics tell: μ = √3/s or √5½/s, rounded up."""
        moved = root_above(MOVED_SQUARES[self.relation])
        return GaussianDP(float_above(Fraction(moved) / Fraction(self.sigma)), self.relation)

    @property
    def guarantee(self) -> Approximate:
        """(ε, δ)-DP."""
        return Approximate(self.epsilon, self.delta, self.relation)

    def statistics(self, features: ArrayLike, outcomes: ArrayLike) -> Array:
        """λ_min, then XᵀX row by row from the diagonal on, then Xᵀy, without noise and therefore private."""
        unit = unit_rows(features, self.bound)
        gram, cross = moments(unit, unit_outcomes(outcomes, len(unit), self.outcome_bound))
        return np.concatenate([[least_eigenvalue(gram)], gram[np.triu_indices(len(gram))], cross])

    def _learn(self, features: ArrayLike, outcomes: ArrayLike, noise: Noise, /) -> LinearModel:
        sigma, dimension = self.sigma, rows.matrix("features", features).shape[1]
        noisy = noise.gaussian(self.statistics(features, outcomes), Fraction(sigma))
        upper, cross = noisy[1:-dimension], noisy[-dimension:]
        gram = np.zeros((dimension, dimension))
        gram[np.triu_indices(dimension)] = upper
        gram = gram + np.triu(gram, 1).T
        least = max(noisy[0] - sigma * math.sqrt(math.log(6.0 / self.delta)), 0.0)
        ridge = max(0.0, sigma * math.sqrt(dimension * math.log(2.0 * dimension**2 / FAILURE)) - least)
        weights = np.linalg.solve(gram + ridge * np.eye(dimension), cross)
        told = {"sigma": sigma, "least_eigenvalue": least, "ridge": ridge}
        return LinearModel(weights * (self.outcome_bound / self.bound), self.guarantee, told)


def printed_sigma(epsilon: float, delta: float) -> float:
    """√ln(6/δ)/(ε/3), rounded up."""
    return enclose(lambda: as_ball(Fraction(6) / Fraction(delta)).log().sqrt() * 3 / as_ball(epsilon)).upper
