r"""Algorithm 4 of thesis section 5.3.2, the Beta-sampled statistical query.

    F(X) = (1/n) Σ φ(x_i), φ: x → [0, 1];      θ by Algorithm 2 or 3 on Σ φ(x_i),      ρ = e^θ/(1 + e^θ).

**Why the promise for bits holds for numbers in [0, 1].** Let C be the log-normaliser of Beta-Bernoulli, in α and β with
α + β fixed. Data weight r puts the posterior at α = α₀ + r s with s = Σ φ(x_i), so two neighbours are two points of
[0, rn] no further apart than r, and any two such points are allowed. Write Q + v for P, φ(t) = C(Q + tv), φ″ ≥ 0; then
(5.15) is an integral with a positive kernel,

    R_λ(P‖Q) = ∫₀^λ K(t) φ″(t) dt,      K(t) = t for t ≤ 1 and (λ − t)/(λ − 1) from there to λ.

1. *It grows with the distance.* Move P away from a fixed Q: put sv for v; in u = st the kernel s·K(u/s) is u for u ≤ s
   and (λs − u)/(λ − 1) for s ≤ u ≤ λs, which grows with s, and so does its range. Move Q away from a fixed P: (5.15) is
   convex in Q (Theorem 10) and least, 0, at Q = P.
2. *So the distance is r.* [0, rn] is no shorter than r: move P, then Q, away from the other as far as it goes.
3. *So the pair stands at an end.* For v = ±r the divergence is convex along the interval (Theorem 10, Corollary 16),
   because φ″(t) = v²[ψ₁(α) + ψ₁(β)] and ψ₁ is convex: its maximum is at s ∈ {0, 1} or {n−1, n}.

These are the four pairs of bits, so the supremum is the same number, and ρ, a function of θ, costs nothing more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Self, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from dpsampling.errors import InputError
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.posterior import ConcentratedPosterior, DiffusedPosterior
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.exact.draws import numbers
from dpsampling.numerics.exact.fixed_point import FixedPoint
from dpsampling.numerics.exact.laws import LogitBeta, probability
from dpsampling.privacy.guarantee import Renyi


@dataclass(frozen=True, eq=False)
class StatisticalQuery:
    """ρ = e^θ/(1 + e^θ), where θ is a draw of `posterior`, Algorithm 2 or 3 for Beta-Bernoulli."""

    posterior: DiffusedPosterior | ConcentratedPosterior

    name: ClassVar[str] = "statistical-query"

    def __post_init__(self) -> None:
        if not isinstance(self.posterior.family, BetaBernoulli):
            raise InputError(
                f"posterior is one of {type(self.posterior.family).__name__}; a statistical query needs Beta-Bernoulli."
            )

    @classmethod
    def calibrate(
        cls,
        prior: ArrayLike,
        n: float,
        *,
        epsilon: float,
        order: float | None = None,
        delta: float | None = None,
        algorithm: type[DiffusedPosterior] | type[ConcentratedPosterior] = ConcentratedPosterior,
    ) -> Self:
        """The least distorted query that is (order, epsilon)-RDP, or (epsilon, delta)-DP at the best of all orders."""
        return cls(algorithm.calibrate(BetaBernoulli(), prior, n, epsilon=epsilon, order=order, delta=delta))

    @property
    def guarantee(self) -> Renyi:
        """That of θ."""
        return self.posterior.guarantee

    def statistic(self, values: ArrayLike) -> float:
        """Σ φ(x_i), with one value in [0, 1] for each of the n records, to a multiple of an ulp of 2^⌈log₂ n⌉.

        On that grid 1 has a place and n − Σ φ too, so that neighbours are no further apart than 1 after rounding.
        """
        values = np.asarray(values, dtype=float)
        if values.shape != (int(self.posterior.n),):
            raise InputError(f"values has shape {values.shape}; it must be a list of n = {self.posterior.n:g} numbers.")
        inside = (values >= 0) & (values <= 1)
        if not np.all(inside):
            raise InputError(f"values contains {values[~inside][0]:g}; a predicate lies between 0 and 1.")
        origin = 2.0 ** math.ceil(math.log2(self.posterior.n))
        return math.fsum([*values.tolist(), origin]) - origin

    def answer(self, values: ArrayLike, size: int | None = None) -> FixedPoint:
        """Draws of ρ for the predicate's values φ(x_1), …, φ(x_n); each costs the guarantee once."""
        return self.release(self.statistic(values), size)

    def release(self, statistic: ArrayLike, size: int | None = None) -> FixedPoint:
        """Draws of ρ for the data set with Σ φ(x_i) = `statistic`; each costs the guarantee once."""
        theta = cast("LogitBeta", self.posterior.exact_law(statistic))
        return numbers(lambda tape: probability(theta(tape)), size)

    def simulate(self, statistic: ArrayLike, rng: np.random.Generator, size: int | None = None) -> Array:
        """Draws of ρ in floats for each statistic: for experiments, it protects nothing."""
        return np.asarray(expit(self.posterior.simulate(statistic, rng, size)))

    def log_density(self, rho: ArrayLike, statistic: ArrayLike) -> Array:
        """The log-density of one release at 0 < ρ < 1: that of θ less ln ρ(1−ρ)."""
        rho = np.asarray(rho, dtype=float)
        return self.posterior.log_density(logit(rho), statistic) - np.log(rho) - np.log1p(-rho)

    def worst_pair(self, order: float) -> tuple[Array, Array]:
        """Statistics (Σ φ, n) of two neighbouring data sets that attain the guarantee at this order."""
        return self.posterior.worst_pair(order)
