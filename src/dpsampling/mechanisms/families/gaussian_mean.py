r"""The mean of a normal variable of known variance, supplement section A.6.2.

One record is x ~ N(μ, σ²), clipped to [−Δ, Δ] (eq. 63); θ = μ/σ², S(x) = x, and the conjugate family is

    Pr(θ | η) = exp(η¹ θ − η² σ² θ²/2 − C(η)),      C(η) = (η¹)²/(2σ²η²) + ½ ln(2π/(σ²η²)),

so θ is N(η¹/(σ²η²), 1/(σ²η²)) and μ = σ²θ is N(η¹/η², σ²/η²): η² counts records and η¹/η² is their mean. Normalizable
is every η with η² > 0. The prior η₀ = (0, 4) is what four records of mean 0 would say.

With m = η¹/η² and L = λη_P + (1−λ)η_Q, the convexity gap of C (thesis eq. 5.15) is

    R_λ(P‖Q) = λ (m_P − m_Q)² η²_P η²_Q / (2σ²η²_L) + ½ D[−ln](η²_P, η²_P − η²_Q, λ−1),     +inf where η²_L ≤ 0.

**The worst pair of neighbours.** Two data sets of n records have the same η² = N, so that only the first term is left
and depends on one number, η¹_P − η¹_Q. Clipped records differ by 2Δ at most (the supplement prints Δ), wherever the
other n − 1 are, and with weights r on the data and w on the prior

    ε(λ) = λ (2rΔ)² / (2σ²N) = 2λ r²Δ² / (σ² (w N₀ + r n)),      at every λ < ∞: λ* = ∞.

η has no coordinate that is a difference of larger ones, and laws are carried by it. But η¹ is rounded like a number of
the size |w η₀¹| + rnΔ, and two of them may be further apart than 2rΔ by that.

This promise is about the clipped data and needs no normality; without clipping, Δ = ∞, there is none.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.errors import InputError
from dpsampling.mechanisms.families.shared import LARGEST_ORDER, FamilyBase, check_order, plain
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.convex_gap import minus_log_gap
from dpsampling.numerics.enclosure import UNBOUNDED, Enclosure, enclose_rational
from dpsampling.numerics.exact.arguments import single
from dpsampling.numerics.exact.laws import Gaussian


@dataclass(frozen=True)
class GaussianMean(FamilyBase):
    """σ² = `variance` is public; Δ = `bound` is where records are clipped, chosen without looking at them."""

    variance: float
    bound: float

    def __post_init__(self) -> None:
        if not 0 < self.variance < math.inf:
            raise InputError(f"variance is {self.variance:g}; it must be above 0 and finite.")
        object.__setattr__(self, "bound", _check_bound(self.bound))

    @property
    def sensitivity(self) -> float:
        """How far one record can move Σ x_i: from −Δ to Δ."""
        return 2.0 * self.bound

    # -- what its parameters may be ------------------------------------------------------------------------------

    def check_prior(self, prior: ArrayLike) -> Array:
        """η₀ = (N₀ m₀, N₀): N₀ > 0 records of mean m₀."""
        try:
            eta = np.asarray(prior, dtype=float)
        except (TypeError, ValueError):
            eta = np.empty(0)
        if eta.shape != (2,) or not np.all(np.isfinite(eta)) or not eta[1] > 0:
            raise InputError(
                f"prior is {plain(prior)}; it must be two finite numbers [N₀·m₀, N₀] with N₀ > 0, "
                "such as [0, 4] for four records of mean 0."
            )
        return eta

    def check_statistic(self, statistic: ArrayLike, n: float) -> Array:
        """|Σ x_i| ≤ nΔ."""
        s, reach = np.asarray(statistic, dtype=float), n * self.bound
        if not np.all(np.abs(s) <= reach):
            bad = s[~(np.abs(s) <= reach)].flat[0]
            raise InputError(
                f"sum is {bad:g}; {n:g} records clipped to [−{self.bound:g}, {self.bound:g}] have a sum between "
                f"−{reach:g} and {reach:g}; clip them first."
            )
        return s

    def statistic(self, records: ArrayLike) -> float:
        """Σ f(x_i), where f clips to [−Δ, Δ] (eq. 63)."""
        records = np.ravel(np.asarray(records, dtype=float))
        if np.any(np.isnan(records)):
            raise InputError("records contains a value that is not a number; leave it out or replace it.")
        reach = len(records) * self.bound
        return min(max(math.fsum(np.clip(records, -self.bound, self.bound)), -reach), reach)

    # -- records of a population -----------------------------------------------------------------------------------

    def simulate(self, population: float, n: float, rng: np.random.Generator, size: int) -> Array:
        """Σ x_i of n records N(`population`, σ²), clipped, for each of `size` data sets."""
        deviation, reach = math.sqrt(self.variance), n * self.bound

        def total() -> float:
            x = np.clip(rng.normal(population, deviation, int(n)), -self.bound, self.bound)
            return min(max(float(x.sum()), -reach), reach)  # a sum of many may be rounded to beyond it

        return np.array([total() for _ in range(size)])

    def log_likelihood(self, statistic: ArrayLike, n: float, theta: ArrayLike) -> Array:
        """θ Σ x_i − n σ²θ²/2: ln Pr(x | θ) less what does not depend on θ."""
        theta = np.asarray(theta, dtype=float)
        return theta * np.asarray(statistic, dtype=float) - n * self.variance * theta**2 / 2.0

    # -- the exponential family ----------------------------------------------------------------------------------

    def law(self, eta: ArrayLike) -> Array:
        """η itself."""
        return np.asarray(eta, dtype=float)

    def posterior(
        self,
        prior: ArrayLike,
        statistic: ArrayLike,
        n: float,
        *,
        data_weight: ArrayLike = 1.0,
        prior_weight: ArrayLike = 1.0,
    ) -> Array:
        """prior_weight·η₀ + data_weight·(Σ x_i, n), statistics and weights broadcast together."""
        prior, weight = np.asarray(prior, dtype=float), np.asarray(prior_weight, dtype=float)
        first = weight * prior[0] + np.asarray(data_weight) * np.asarray(statistic, dtype=float)
        last = weight * prior[1] + np.asarray(data_weight) * n
        return np.stack(np.broadcast_arrays(first, last), axis=-1)

    def log_partition(self, law: ArrayLike) -> Array:
        """C(η)."""
        mean, variance = self._moments(law)
        return np.asarray(0.5 * mean * mean / variance + 0.5 * np.log(2.0 * math.pi * variance))

    def sample(self, law: ArrayLike, rng: np.random.Generator, size: int | tuple[int, ...] | None = None) -> Array:
        """Draws of the natural parameter θ = μ/σ²."""
        mean, variance = self._moments(law)
        return np.asarray(mean + np.sqrt(variance) * rng.standard_normal(mean.shape if size is None else size))

    def mean(self, theta: ArrayLike) -> Array:
        """μ = σ²θ."""
        return np.asarray(self.variance * np.asarray(theta, dtype=float))

    def exact_law(
        self, prior: ArrayLike, statistic: ArrayLike, n: float, *, data_weight: Fraction, prior_weight: Fraction
    ) -> Gaussian:
        """θ ~ N(η¹/(σ²η²), 1/(σ²η²)), η = w η₀ + r (Σ x_i, n)."""
        total = Fraction(single("sum", self.check_statistic(statistic, n)))
        first, count = map(Fraction, np.asarray(prior, dtype=float).tolist())
        precision = Fraction(self.variance) * (prior_weight * count + data_weight * Fraction(n))
        return Gaussian((prior_weight * first + data_weight * total) / precision, 1 / precision)

    def log_density(self, law: ArrayLike, theta: ArrayLike) -> Array:
        """ln Pr(θ), the density of θ itself (not of μ)."""
        mean, variance = self._moments(law)
        offset = np.asarray(theta, dtype=float) - mean
        return np.asarray(-0.5 * offset * offset / variance - 0.5 * np.log(2.0 * math.pi * variance))

    # -- divergences ---------------------------------------------------------------------------------------------

    def renyi_divergence(self, law_p: ArrayLike, law_q: ArrayLike, order: ArrayLike) -> Array:
        """R_λ(P‖Q) as above, for λ ≥ 1; λ = 1 is the Kullback-Leibler and λ = ∞ the max divergence."""
        order = np.minimum(check_order(order), LARGEST_ORDER)
        (sum_p, n_p), (sum_q, n_q) = (np.moveaxis(np.asarray(law, dtype=float), -1, 0) for law in (law_p, law_q))
        sum_p, sum_q, n_p, n_q, order = np.broadcast_arrays(sum_p, sum_q, n_p, n_q, order)
        more = n_p - n_q
        n_l = n_p + (order - 1.0) * more
        inside = n_l > 0
        n_l, more, k = np.where(inside, n_l, 1.0), np.where(inside, more, 0.0), np.where(inside, order - 1.0, 1.0)
        shift = (sum_p - sum_q) - sum_q / n_q * (n_p - n_q)  # η²_P (m_P − m_Q)
        means = order / n_l * (n_q / n_p) * shift * shift / (2.0 * self.variance)
        widths = 0.5 * minus_log_gap(n_p, more, k, n_l, np.where(inside, n_q, n_p))
        # With as many records on both sides, ln P/Q is linear in θ: bounded only where it is constant.
        unbounded = ~inside | ((order >= LARGEST_ORDER) & (more == 0) & (shift != 0))
        return np.where(unbounded, np.inf, means + widths)

    def divergence_by_step(self, law_p: ArrayLike, step: ArrayLike, order: ArrayLike) -> Array:
        """R_λ(P‖Q) for η_Q = η_P − step; here it is no more exact than the subtraction."""
        return self.renyi_divergence(law_p, np.asarray(law_p, dtype=float) - np.asarray(step, dtype=float), order)

    def worst_case_divergence(
        self,
        prior: ArrayLike,
        n: float,
        order: ArrayLike,
        *,
        data_weight: ArrayLike = 1.0,
        prior_weight: ArrayLike = 1.0,
        rounding: float = 0.0,
    ) -> Array:
        """sup R_λ = λ (2rΔ)²/(2σ²(w N₀ + r n)) over the posteriors of neighbouring data sets of n clipped records."""
        order = check_order(order)
        r, weight = np.asarray(data_weight, dtype=float), np.asarray(prior_weight, dtype=float)
        first, count = np.abs(np.asarray(prior, dtype=float))
        # One after the other: squares of small numbers are 0 where their quotients are not.
        deviation = math.sqrt(self.variance)
        step = r * (self.sensitivity / deviation)
        reach = n * step / 2.0  # of what the records add to the prior's η¹, and so of how far that is rounded
        step = step + np.minimum(rounding * (weight * (first / deviation) + 3.0 * reach), 3.0 * reach)
        divergence = np.minimum(order, LARGEST_ORDER) * step / (weight * count + r * n) * step / 2.0
        return np.where(order < LARGEST_ORDER, divergence, np.inf)

    def enclosed_level(
        self, prior: ArrayLike, n: float, order: float, *, data_weight: Fraction, prior_weight: Fraction
    ) -> Enclosure:
        """The same as the rational number that it is."""
        if math.isinf(order):
            return UNBOUNDED
        variance = Fraction(self.variance) * (
            prior_weight * Fraction(float(np.asarray(prior, dtype=float)[1])) + data_weight * Fraction(n)
        )
        return enclose_rational(Fraction(order) * (data_weight * 2 * Fraction(self.bound)) ** 2 / (2 * variance))

    def worst_pair(
        self, prior: ArrayLike, n: float, order: float, *, data_weight: float = 1.0, prior_weight: float = 1.0
    ) -> tuple[Array, Array]:
        """Σ x_i = ∓Δ, one record at either end and the others at 0; wherever those are, the divergence is the same."""
        del prior, order, data_weight, prior_weight
        return np.array([-self.bound, n]), np.array([self.bound, n])

    def order_horizon(self, prior: ArrayLike, *, data_weight: float = 1.0, prior_weight: float = 1.0) -> float:
        """λ* = ∞: neighbours have the same η² > 0, and so has λη_P + (1−λ)η_Q."""
        del prior, data_weight, prior_weight
        return math.inf

    def _moments(self, law: ArrayLike) -> tuple[Array, Array]:
        """Mean and variance of θ."""
        law = np.asarray(law, dtype=float)
        precision = self.variance * law[..., 1]
        return law[..., 0] / precision, 1.0 / precision


def _check_bound(bound: float | None) -> float:
    """0 < Δ < ∞: someone who has not thought of a bound is told about it."""
    if bound is None or not 0 < bound < math.inf:
        raise InputError(
            f"bound is {bound}; unbounded records cannot be private: clip them to [−bound, bound] for a finite bound "
            "above 0."
        )
    return float(bound)
