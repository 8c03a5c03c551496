r"""The Dirichlet-Categorical system, supplement section A.6.1.

One record is one of d categories; S(x) is its indicator without the last coordinate, θ_j = ln ρ_j/ρ_d for j < d, and
the conjugate family is

    Pr(θ | η) = exp(Σ_{j<d} η^j θ_j − η^d A(θ) − C(η)),     A(θ) = ln(1 + Σ_{j<d} e^{θ_j}),
    C(η) = Σ_{j≤d} ln Γ(α_j) − ln Γ(α_1 + … + α_d),         η = (α_1, …, α_{d−1}, α_1 + … + α_d)             (54)

so ρ is Dirichlet(α_1, …, α_d). The prior η₀ = (1, 1, 3) is uniform over three categories, and d = 2 is Beta-Bernoulli.
A law is carried as (α_1, …, α_d): in η, the last one is lost beside large counts of the others.

**The worst pair of neighbours.** Let P have one record at i that Q has at j, and let the other n − 1 records put c_l
into category l. The total and every category but i and j are the same in P and Q, so that with data weight r and
D[ln Γ](x, step, k) the convexity gap of `numerics.convex_gap`

    R_λ(P‖Q) = U(α_i + r c_i) + V(α_j + r c_j),       U(x) = D(x + r, r, λ−1),   V(x) = D(x, −r, λ−1).

Written as an integral, (5.15) has one kernel for both: K(t) = t for t ≤ 1 and (λ − t)/(λ − 1) from there to λ, and

    U(x) = r² ∫₀^λ K(t) ψ₁(x + r t) dt,               V(x) = r² ∫₀^λ K(t) ψ₁(x + r (1 − t)) dt.

ψ₁ is positive, decreasing and convex, so U and V are; that is the convexity of Theorem A.14. And V − U decreases: with
t drawn from the density K/∫K, Pr(t ≤ u) = u²/λ ≤ 1 − (1 − u)²/λ = Pr(1 − t ≤ u) for 0 ≤ u ≤ 1, so that 1 − t is
stochastically less than t, and ψ₁′ increases. Of the O(d³) pairs that A.6.1 counts, one is left:

  d ≥ 3   the other records may all lie in a third category, c_i = c_j = 0. U(α_i) + U(α_j) + (V − U)(α_j) is largest
          for the two least entries of the prior, with the least as α_j. The level does not depend on n.
  d = 2   c_i + c_j = n − 1, and a convex function on a segment is largest at an end. For U + U that is the one where
          the lesser entry has no other record, since U is convex; V − U is largest there too, with that entry as α_j.

So Q is the posterior of the data with one record in the rarest category of the prior, and P is without it. Their ratio
is a function of θ_i − θ_j, the logit of a Beta(α_i, α_j): for d ≥ 3 the level is Beta-Bernoulli's at n = 1.

A record is one category. For records that are themselves points of the simplex this supremum would be too small: a
record split between two rare categories reveals both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln, digamma

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
from dpsampling.numerics.exact.arguments import row
from dpsampling.numerics.exact.laws import LogitDirichlet


@dataclass(frozen=True)
class DirichletCategorical(FamilyBase):
    """The family itself: it has no parameters of its own, and its categories are those of the prior."""

    # -- what its parameters may be ------------------------------------------------------------------------------

    def check_prior(self, prior: ArrayLike) -> Array:
        """η₀ = (α_1, …, α_{d−1}, total) with d ≥ 2 and every α_j > 0, that of the last category included."""
        try:
            eta = np.asarray(prior, dtype=float)
        except (TypeError, ValueError):
            eta = np.empty(0)
        if eta.ndim != 1 or len(eta) < 2 or not np.all(np.isfinite(eta)) or not np.all(self.law(eta) > 0):
            raise InputError(
                f"prior is {plain(prior)}; it must be two or more numbers [α₁, …, α_(d−1), α₁ + … + α_d] with every "
                "α above 0, such as [1, 1, 3] for Dirichlet(1, 1, 1)."
            )
        return eta

    def check_statistic(self, statistic: ArrayLike, n: float) -> Array:
        """(c_1, …, c_{d−1}) along the last axis: whole numbers, with c_d = n − Σ c_j ≥ 0."""
        counts = np.asarray(statistic, dtype=float)
        if counts.ndim == 0:
            raise InputError(f"counts is {counts:g}; it must be a list with the count of each category but the last.")
        good = np.all((counts >= 0) & (np.floor(counts) == counts), axis=-1) & (counts.sum(axis=-1) <= n)
        if not np.all(good):
            bad = np.atleast_2d(counts)[~np.atleast_1d(good)][0]
            raise InputError(
                f"counts is {plain(bad)}; it must be whole numbers, 0 or more, whose sum is at most n = {n:g}."
            )
        return counts

    # -- records of a population -----------------------------------------------------------------------------------

    def simulate(self, population: ArrayLike, n: float, rng: np.random.Generator, size: int) -> Array:
        """(c_1, …, c_{d−1}) of n records whose first d − 1 categories have these probabilities, `size` times."""
        shares = np.asarray(population, dtype=float)
        return rng.multinomial(int(n), [*shares, 1.0 - shares.sum()], size)[:, :-1].astype(float)

    def log_likelihood(self, statistic: ArrayLike, n: float, theta: ArrayLike) -> Array:
        """Σ_{j<d} c_j θ_j − n A(θ), less the multinomial coefficient."""
        theta = np.asarray(theta, dtype=float)
        log_total = np.logaddexp.reduce(np.concatenate([theta, np.zeros((*theta.shape[:-1], 1))], axis=-1), axis=-1)
        return np.sum(np.asarray(statistic, dtype=float) * theta, axis=-1) - n * log_total

    # -- the exponential family ----------------------------------------------------------------------------------

    def law(self, eta: ArrayLike) -> Array:
        """(α_1, …, α_d) of η = (α_1, …, α_{d−1}, total), the last with one rounding only."""
        eta = np.asarray(eta, dtype=float)
        last = np.apply_along_axis(math.fsum, -1, np.concatenate([eta[..., -1:], -eta[..., :-1]], axis=-1))
        return np.concatenate([eta[..., :-1], np.asarray(last)[..., np.newaxis]], axis=-1)

    def log_partition(self, law: ArrayLike) -> Array:
        """C(η) of eq. (54), as Σ_{j>1} ln B(α_j, α_1 + … + α_{j−1})."""
        alpha = np.asarray(law, dtype=float)
        return np.asarray(betaln(np.cumsum(alpha, axis=-1)[..., :-1], alpha[..., 1:]).sum(axis=-1))

    def posterior(
        self,
        prior: ArrayLike,
        statistic: ArrayLike,
        n: float,
        *,
        data_weight: ArrayLike = 1.0,
        prior_weight: ArrayLike = 1.0,
    ) -> Array:
        """w α_j + r c_j for the counts (c_1, …, c_{d−1}) and c_d = n − Σ c_j, counts and weights broadcast together."""
        prior, counts = np.asarray(prior, dtype=float), np.asarray(statistic, dtype=float)
        needed = prior.shape[-1] - 1
        if counts.ndim == 0 or counts.shape[-1] != needed:
            raise InputError(
                f"counts is {plain(counts)}; a prior of {needed + 1} categories needs the counts of the first "
                f"{needed}, and n gives the last."
            )
        every = np.concatenate([counts, n - counts.sum(axis=-1, keepdims=True)], axis=-1)
        r, weight = (np.asarray(value, dtype=float)[..., np.newaxis] for value in (data_weight, prior_weight))
        return np.asarray(weight * self.law(prior) + r * every)

    def sample(self, law: ArrayLike, rng: np.random.Generator, size: int | tuple[int, ...] | None = None) -> Array:
        """Exact draws of θ, of shape `size` × (d−1): θ_j = ln G_j − ln G_d, Gamma variables on the log scale."""
        alpha = np.asarray(law, dtype=float)
        lead = alpha.shape[:-1] if size is None else (size,) if isinstance(size, int | np.integer) else tuple(size)
        logs = log_gamma_draws(alpha, rng, (*lead, alpha.shape[-1]))
        return logs[..., :-1] - logs[..., -1:]

    def probabilities(self, theta: ArrayLike) -> Array:
        """(ρ_1, …, ρ_d) of θ = (ln ρ_j/ρ_d)_{j<d}."""
        return np.exp(_log_probabilities(theta))

    def exact_law(
        self, prior: ArrayLike, statistic: ArrayLike, n: float, *, data_weight: Fraction, prior_weight: Fraction
    ) -> LogitDirichlet:
        """θ of ρ ~ Dirichlet(w α_j + r c_j)."""
        counts = row("counts", self.check_statistic(statistic, n))
        *first, total = map(Fraction, np.asarray(prior, dtype=float).tolist())
        alphas, every = [*first, total - sum(first)], [*map(Fraction, counts.tolist())]
        every.append(Fraction(n) - sum(every))
        if len(every) != len(alphas):
            raise InputError(
                f"counts is {plain(counts)}; a prior of {len(alphas)} categories needs the counts of the first "
                f"{len(alphas) - 1}, and n gives the last."
            )
        return LogitDirichlet([prior_weight * a + data_weight * c for a, c in zip(alphas, every, strict=True)])

    def log_density(self, law: ArrayLike, theta: ArrayLike) -> Array:
        """ln Pr(θ) = Σ α_j ln ρ_j − C(η): the density of θ itself, as dρ = ρ_1 ⋯ ρ_d dθ."""
        return np.asarray((np.asarray(law) * _log_probabilities(theta)).sum(axis=-1) - self.log_partition(law))

    # -- divergences ---------------------------------------------------------------------------------------------

    def renyi_divergence(self, law_p: ArrayLike, law_q: ArrayLike, order: ArrayLike) -> Array:
        """R_λ(P‖Q) of thesis eq. (5.15), for λ ≥ 1: Σ D[ln Γ] in the shapes less D[ln Γ] in their sum.

        λ = 1 is the Kullback-Leibler and λ = ∞ the max divergence; +inf where λη_P + (1−λ)η_Q is not normalizable.
        """
        return self.divergence_by_step(law_p, np.asarray(law_p, dtype=float) - np.asarray(law_q, dtype=float), order)

    def divergence_by_step(self, law_p: ArrayLike, step: ArrayLike, order: ArrayLike) -> Array:
        """R_λ(P‖Q) for Q = P − step in all shapes, with the step exact, where subtracting would lose it."""
        order = check_order(order)
        alpha_p, difference = np.asarray(law_p, dtype=float), np.asarray(step, dtype=float)
        finite = order < LARGEST_ORDER
        k = np.where(finite, order, 2.0) - 1.0
        shapes = log_gamma_gap(alpha_p, difference, k[..., np.newaxis]).sum(axis=-1)
        both = np.isfinite(shapes)
        sum_p, sum_difference = alpha_p.sum(axis=-1), difference.sum(axis=-1)
        total = log_gamma_gap(np.where(both, sum_p, 1.0), np.where(both, sum_difference, 0.0), k)
        divergence = np.where(both, np.maximum(shapes - total, 0.0), np.inf)
        return np.where(finite, divergence, _max_divergence(alpha_p, alpha_p - difference))

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
        """sup R_λ over the posteriors of neighbouring data sets of n records (Theorem A.14; see above)."""
        order = check_order(order)
        alpha = self.law(prior)
        least, next_least = np.sort(alpha)[:2]
        r, weight = np.asarray(data_weight, dtype=float), np.asarray(prior_weight, dtype=float)
        least, next_least, r, order = np.broadcast_arrays(least * weight, next_least * weight, r, order)
        finite = order < LARGEST_ORDER
        k = np.where(finite, order, 2.0) - 1.0
        beside = np.asarray(n - 1.0 if len(alpha) == 2 else 0.0)  # records of both in the other category
        # P has the lesser number in the rarest category and the larger one in the other.
        rarest = gaps_of_a_step(least, r, np.zeros(()), n, k, rounding)[0]
        divergence = rarest + gaps_of_a_step(next_least, r, beside, n, k, rounding)[1]
        return np.where(finite, divergence, np.inf)  # ln P/Q = r(θ_i − θ_j) + constant has no bound

    def enclosed_level(
        self, prior: ArrayLike, n: float, order: float, *, data_weight: Fraction, prior_weight: Fraction
    ) -> Enclosure:
        """The same in balls, at the same pair; the last α_j is the rational number that the prior leaves for it."""
        if math.isinf(order):
            return UNBOUNDED
        *first, total = map(Fraction, np.asarray(prior, dtype=float).tolist())
        least, next_least = sorted([*first, total - sum(first)])[:2]
        others = data_weight * (Fraction(n) - 1) if len(first) == 1 else 0
        pair = Pair(prior_weight * next_least + others, prior_weight * least)
        return worst_level([pair], data_weight, Fraction(order) - 1)

    def worst_pair(
        self, prior: ArrayLike, n: float, order: float, *, data_weight: float = 1.0, prior_weight: float = 1.0
    ) -> tuple[Array, Array]:
        """(c_1, …, c_{d−1}, n) of both data sets: the same at every order and weight."""
        del order, data_weight, prior_weight
        by_size = np.argsort(self.law(prior), kind="stable")
        others = np.zeros(len(by_size))
        others[by_size[:3][-1]] = n - 1.0  # in a third category, if there is one
        p, q = others.copy(), others
        p[by_size[1]] += 1.0
        q[by_size[0]] += 1.0
        p[-1] = q[-1] = n
        return p, q

    def order_horizon(self, prior: ArrayLike, *, data_weight: float = 1.0, prior_weight: float = 1.0) -> float:
        """λ* = 1 + min_j α_j·prior_weight/data_weight: λη_P + (1−λ)η_Q takes (λ−1)r from some category's prior."""
        return float(1.0 + np.min(self.law(prior)) * prior_weight / data_weight)


def _log_probabilities(theta: ArrayLike) -> Array:
    """(ln ρ_1, …, ln ρ_d); also that of the likeliest category keeps its digits."""
    theta = np.asarray(theta, dtype=float)
    logits = np.concatenate([theta, np.zeros((*theta.shape[:-1], 1))], axis=-1)
    top = np.argmax(logits, axis=-1, keepdims=True)
    logits = logits - np.take_along_axis(logits, top, axis=-1)
    odds = np.exp(logits)
    np.put_along_axis(odds, top, 0.0, axis=-1)
    return logits - np.log1p(odds.sum(axis=-1, keepdims=True))


def _max_divergence(alpha_p: Array, alpha_q: Array) -> Array:
    """sup ln P/Q = sup over ρ of Σ a_j ln ρ_j + c, finite only for a ≥ 0 (then at ρ = a/Σa)."""
    a = alpha_p - alpha_q
    sum_a, sum_p = a.sum(axis=-1), alpha_p.sum(axis=-1)
    # C(Q) − C(P) by its tangent at P and the gap from it: the difference of two C would lose its digits.
    tangent = (a * digamma(alpha_p)).sum(axis=-1) - sum_a * digamma(sum_p)
    gap = log_gamma_gap(alpha_p, a, 0.0).sum(axis=-1) - log_gamma_gap(sum_p, sum_a, 0.0)
    share = np.where(a > 0, a, 1.0) / np.where(sum_a > 0, sum_a, 1.0)[..., np.newaxis]
    peak = np.where(a > 0, a * np.log(share), 0.0).sum(axis=-1)
    value = np.where(np.all(a == 0, axis=-1), 0.0, peak + gap - tangent)
    return np.where(np.any(a < 0, axis=-1), np.inf, np.maximum(value, 0.0))
