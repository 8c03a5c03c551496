r"""The Beta-Bernoulli system, thesis section 5.2.4.

One record is a bit x with Pr(x = 1) = ρ; θ = ln ρ/(1−ρ), S(x) = x, and the conjugate family is

    Pr(θ | η) = exp(η¹ θ − η² ln(1 + e^θ) − C(η)),      C(η) = ln B(η¹, η² − η¹),

so ρ = e^θ/(1+e^θ) is Beta(η¹, η² − η¹). The prior η₀ = (6, 18) of the thesis is Beta(6, 12), and (1, 2) is uniform.

A law is carried as (α, β): at n = 10⁶ the β = .05 of η = (α, α + β) has lost ten digits, which decide the divergence
near its pole.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln, digamma, gammaln, log_expit

from dpsampling.errors import InputError
from dpsampling.mechanisms.families.shared import (
    LARGEST_ORDER,
    FamilyBase,
    check_order,
    gaps_of_a_step,
    log_gamma_draws,
    plain,
)
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.certified_gap import Pair, worst_level
from dpsampling.numerics.convex_gap import log_gamma_gap
from dpsampling.numerics.enclosure import UNBOUNDED, Enclosure
from dpsampling.numerics.exact.arguments import single
from dpsampling.numerics.exact.laws import LogitBeta


@dataclass(frozen=True)
class BetaBernoulli(FamilyBase):
    """The family itself: it has no parameters of its own, and Δ = 1."""

    sensitivity: ClassVar[float] = 1.0

    # -- what its parameters may be ------------------------------------------------------------------------------

    def check_prior(self, prior: ArrayLike) -> Array:
        """η₀ = (α₀, α₀ + β₀) with both α₀, β₀ > 0."""
        try:
            eta = np.asarray(prior, dtype=float)
        except (TypeError, ValueError):
            eta = np.empty(0)
        if eta.shape != (2,) or not np.all(np.isfinite(eta)) or not 0 < eta[0] < eta[1]:
            raise InputError(
                f"prior is {plain(prior)}; it must be two numbers [α₀, α₀ + β₀] with 0 < α₀ < α₀ + β₀, "
                "such as [6, 18] for Beta(6, 12)."
            )
        return eta

    def check_statistic(self, statistic: ArrayLike, n: float) -> Array:
        """0 ≤ Σ x_i ≤ n; fractions are allowed, as in Algorithm 4."""
        s = np.asarray(statistic, dtype=float)
        if not np.all((s >= 0) & (s <= n)):
            bad = s[~((s >= 0) & (s <= n))].flat[0]
            raise InputError(f"successes is {bad:g}; it must lie between 0 and n = {n:g}.")
        return s

    # -- records of a population -----------------------------------------------------------------------------------

    def simulate(self, population: float, n: float, rng: np.random.Generator, size: int) -> Array:
        """Σ x_i of n records with Pr(x = 1) = `population`, for each of `size` data sets."""
        return rng.binomial(int(n), population, size).astype(float)

    def log_likelihood(self, statistic: ArrayLike, n: float, theta: ArrayLike) -> Array:
        """ln of the binomial probability of Σ x_i, from θ itself so that p near 0 or 1 keeps its digits."""
        s, theta = np.asarray(statistic, dtype=float), np.asarray(theta, dtype=float)
        return log_choose(n, s) + s * log_expit(theta) + (n - s) * log_expit(-theta)

    # -- the exponential family ----------------------------------------------------------------------------------

    def law(self, eta: ArrayLike) -> Array:
        """(α, β) of η = (α, α + β)."""
        eta = np.asarray(eta, dtype=float)
        return np.stack([eta[..., 0], eta[..., 1] - eta[..., 0]], axis=-1)

    def posterior(
        self,
        prior: ArrayLike,
        statistic: ArrayLike,
        n: float,
        *,
        data_weight: ArrayLike = 1.0,
        prior_weight: ArrayLike = 1.0,
    ) -> Array:
        """(w α₀ + r s, w β₀ + r (n − s)) for s = Σ x_i, statistics and weights broadcast together."""
        (alpha, beta), s = self.law(prior), np.asarray(statistic, dtype=float)
        r, weight = np.asarray(data_weight, dtype=float), np.asarray(prior_weight, dtype=float)
        return np.stack(np.broadcast_arrays(weight * alpha + r * s, weight * beta + r * (n - s)), axis=-1)

    def log_partition(self, law: ArrayLike) -> Array:
        """C(η) = ln B(α, β)."""
        alpha, beta = _shapes(law)
        return np.asarray(betaln(alpha, beta))

    def sample(self, law: ArrayLike, rng: np.random.Generator, size: int | tuple[int, ...] | None = None) -> Array:
        """Draws of the natural parameter θ = ln G_α − ln G_β, two Gamma variables on the log scale.

        ln G_a is ln G_{a+1} + ln(U)/a, so that shapes near 0 give large |θ| instead of ρ = 0 or 1.
        """
        alpha, beta = _shapes(law)
        if size is None:
            size = np.broadcast_shapes(alpha.shape, beta.shape)
        return log_gamma_draws(alpha, rng, size) - log_gamma_draws(beta, rng, size)

    def exact_law(
        self, prior: ArrayLike, statistic: ArrayLike, n: float, *, data_weight: Fraction, prior_weight: Fraction
    ) -> LogitBeta:
        """θ ~ logit Beta(w α₀ + r s, w β₀ + r (n − s))."""
        successes = Fraction(single("successes", self.check_statistic(statistic, n)))
        alpha, beta = self.exact_shapes(prior)
        return LogitBeta(
            prior_weight * alpha + data_weight * successes,
            prior_weight * beta + data_weight * (Fraction(n) - successes),
        )

    def exact_shapes(self, eta: ArrayLike) -> tuple[Fraction, Fraction]:
        """(α, β) of η = (α, α + β), as rational numbers."""
        alpha, total = map(Fraction, np.asarray(eta, dtype=float).tolist())
        return alpha, total - alpha

    def log_density(self, law: ArrayLike, theta: ArrayLike) -> Array:
        """ln Pr(θ), the density of θ itself (not of ρ)."""
        (alpha, beta), theta = _shapes(law), np.asarray(theta, dtype=float)
        return alpha * log_expit(theta) + beta * log_expit(-theta) - betaln(alpha, beta)

    # -- divergences ---------------------------------------------------------------------------------------------

    def renyi_divergence(self, law_p: ArrayLike, law_q: ArrayLike, order: ArrayLike) -> Array:
        """R_λ(P‖Q) of thesis eq. (5.15), for λ ≥ 1; λ = 1 is the Kullback-Leibler and λ = ∞ the max divergence.

        With L = λη_P + (1−λ)η_Q the equation is [C(L) − C(P)]/(λ−1) − [C(P) − C(Q)], the convexity gap of C; so it is
        D[ln Γ] in both shapes less D[ln Γ] in their sum. It is +inf where L is not normalizable.
        """
        return self.divergence_by_step(law_p, np.asarray(law_p, dtype=float) - np.asarray(law_q, dtype=float), order)

    def divergence_by_step(self, law_p: ArrayLike, step: ArrayLike, order: ArrayLike) -> Array:
        """R_λ(P‖Q) for Q = P − step in both shapes, with the step exact, where subtracting would lose it."""
        order = check_order(order)
        (alpha_p, beta_p), (d_alpha, d_beta) = _shapes(law_p), _shapes(step)
        finite = order < LARGEST_ORDER
        k = np.where(finite, order, 2.0) - 1.0
        shapes = log_gamma_gap(alpha_p, d_alpha, k) + log_gamma_gap(beta_p, d_beta, k)
        both = np.isfinite(shapes)
        total = log_gamma_gap(np.where(both, alpha_p + beta_p, 1.0), np.where(both, d_alpha + d_beta, 0.0), k)
        divergence = np.where(both, np.maximum(shapes - total, 0.0), np.inf)
        return np.where(finite, divergence, _max_divergence(alpha_p, beta_p, d_alpha, d_beta))

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
        """sup R_λ over the posteriors of neighbouring data sets of n bits (Theorem 10, Corollary 16).

        The divergence is convex along the data and grows with the distance of the pair, so the supremum is the
        largest of four reachable pairs (s is Σ x_i): 0 → 1 and 1 → 0, n → n−1 and n−1 → n.
        """
        order = check_order(order)
        return np.max(self._end_pairs(prior, n, order, data_weight, prior_weight, rounding), axis=0)

    def enclosed_level(
        self, prior: ArrayLike, n: float, order: float, *, data_weight: Fraction, prior_weight: Fraction
    ) -> Enclosure:
        """The same in balls, at the same four pairs: α₀ = η₀¹ and β₀ = η₀² − η₀¹ are rational, and so are λ and n."""
        if math.isinf(order):
            return UNBOUNDED
        alpha, beta = (prior_weight * shape for shape in self.exact_shapes(prior))
        others = data_weight * (Fraction(n) - 1)
        pairs = [Pair(beta + others, alpha), Pair(alpha, beta + others)]  # 0 → 1 and 1 → 0
        pairs += [Pair(alpha + others, beta), Pair(beta, alpha + others)]  # n → n − 1 and n − 1 → n
        return worst_level(pairs, data_weight, Fraction(order) - 1)

    def worst_pair(
        self, prior: ArrayLike, n: float, order: float, *, data_weight: float = 1.0, prior_weight: float = 1.0
    ) -> tuple[Array, Array]:
        """The statistics of the worst of the four pairs; at an infinite divergence, of the first that is infinite."""
        pairs = ((0.0, 1.0), (1.0, 0.0), (n, n - 1.0), (n - 1.0, n))
        values = self._end_pairs(prior, n, np.asarray(float(order)), data_weight, prior_weight, 0.0)
        s_p, s_q = pairs[int(np.argmax(values))]
        return np.array([s_p, n]), np.array([s_q, n])

    def order_horizon(self, prior: ArrayLike, *, data_weight: float = 1.0, prior_weight: float = 1.0) -> float:
        """λ* = 1 + min(α₀, β₀)·prior_weight/data_weight (Corollary 15 at weights 1)."""
        alpha, beta = self.law(prior)
        return float(1.0 + np.minimum(alpha, beta) * prior_weight / data_weight)

    def _end_pairs(
        self, prior: ArrayLike, n: float, order: Array, data_weight: ArrayLike, prior_weight: ArrayLike, rounding: float
    ) -> Array:
        """R_λ of the four end pairs, along the first axis: P and Q differ by ±r in α, by ∓r in β, not in α + β.

        Where floats put them elsewhere, α + β differs too: D[ln Γ] of the sum would be taken off, and is left out.
        """
        alpha, beta = _shapes(self.law(prior))
        r, weight = np.asarray(data_weight, dtype=float), np.asarray(prior_weight, dtype=float)
        alpha, beta, r, order = np.broadcast_arrays(alpha * weight, beta * weight, r, order)
        finite = order < LARGEST_ORDER
        k = np.where(finite, order, 2.0) - 1.0
        ones = np.multiply.outer([0.0, n - 1.0], np.ones(r.shape))  # beside the record that is replaced
        alphas = gaps_of_a_step(alpha, r, ones, n, k, rounding)
        betas = gaps_of_a_step(beta, r, ones[::-1], n, k, rounding)
        rising, falling = alphas[0] + betas[1], alphas[1] + betas[0]  # P has the lesser, the larger s
        divergence = np.stack([rising[0], falling[0], falling[1], rising[1]])
        return np.where(finite, divergence, np.inf)  # ln P/Q = step·θ + constant has no bound


def log_choose(n: float, k: ArrayLike) -> Array:
    """ln C(n, k)."""
    k = np.asarray(k, dtype=float)
    return np.asarray(gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0))


def _shapes(law: ArrayLike) -> tuple[Array, Array]:
    """α and β."""
    law = np.asarray(law, dtype=float)
    return law[..., 0], law[..., 1]


def _max_divergence(alpha_p: Array, beta_p: Array, a: Array, b: Array) -> Array:
    """sup ln P/Q = sup over ρ of a ln ρ + b ln(1−ρ) + c, finite only for a, b ≥ 0 (then at ρ = a/(a+b))."""
    # C(Q) − C(P) by its tangent at P and the gap from it: the difference of two ln B would lose its digits.
    sum_p = alpha_p + beta_p
    tangent = a * digamma(alpha_p) + b * digamma(beta_p) - (a + b) * digamma(sum_p)
    gap = log_gamma_gap(alpha_p, a, 0.0) + log_gamma_gap(beta_p, b, 0.0) - log_gamma_gap(sum_p, a + b, 0.0)
    constant = gap - tangent
    total = np.where(a + b > 0, a + b, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        peak = np.where(a > 0, a * np.log(a / total), 0.0) + np.where(b > 0, b * np.log(b / total), 0.0)
    value = np.where((a == 0) & (b == 0), 0.0, peak + constant)
    return np.where((a < 0) | (b < 0), np.inf, np.maximum(value, 0.0))
