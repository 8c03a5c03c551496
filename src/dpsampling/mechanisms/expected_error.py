r"""How far one private draw of a Bernoulli parameter is from the truth, on average, without simulation.

The data are n bits with k ~ Binomial(n, p) successes, the estimate p̃ is random given k, and

    L1 error   E|p̃ − p|,        efficiency   n E(p̃ − p)² / (p(1−p)),

the mean squared error about the true p in units of the Cramér-Rao bound p(1−p)/n, i.e. n·E(p̃ − p)²·I.

- posterior draw   p̃ ~ Beta(α + k, β + n − k)
- Laplace draw     p̃ ~ Beta(α + ŝ, β + t̂), ŝ = proj(k + Y₁), t̂ = proj(n − k + Y₂), Y ~ Laplace(2/ε) (thesis 4.15)
- Laplace mean     p̃ = (α + ŝ)/(α + β + ŝ + t̂)
- OPS draw         p̃ ~ Beta((k + α − 1)/T + 1, (n − k + β − 1)/T + 1) on [a₀, 1 − a₀], T = max(1, 2 ln((1−a₀)/a₀)/ε)

Given the shapes, E|p̃ − p| and E(p̃ − p)² are closed. What is left is a sum over k and, for Laplace, a double integral
over the noise (`numerics.noisy_counts`).

Priors are η₀ = (α, α + β), as everywhere: (1, 2) is uniform.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, gammaln, log_expit, logit

from dpsampling.errors import InputError
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.laplace_statistic import Projection, check_projection, laplace_scale
from dpsampling.mechanisms.tempering import sensitivity, temperature
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.convex_gap import log_gamma_gap
from dpsampling.numerics.log_concave import log_integral, nodes_and_weights
from dpsampling.numerics.noisy_counts import NoisyCounts, chunks, laplace_rule, noisy_counts, successes

FAMILY = BetaBernoulli()


# -- E|p̃ − p| and its kin ------------------------------------------------------------------------------------------


def exact_l1_error_nonprivate(prior: ArrayLike, n: float, p: float) -> float:
    """E|p̃ − p| of one draw from the posterior, to 1e-12."""
    alpha, beta, n, p = _setting(prior, n, p)
    k, mass = successes(n, p)
    return float(mass @ beta_l1_error(alpha + k, beta + n - k, p))


def exact_l1_error_laplace(
    prior: ArrayLike, n: float, p: float, epsilon: float, projection: Projection = "zero"
) -> float:
    """E|p̃ − p| of one draw from the Laplace mechanism's posterior, to 1e-9."""
    alpha, beta, n, p = _setting(prior, n, p)
    rule = _noisy(n, p, epsilon, projection)
    return rule.mean(beta_l1_error(alpha + rule.s[:, np.newaxis], beta + rule.t, p))


def exact_l1_error_ops(prior: ArrayLike, n: float, p: float, epsilon: float, a0: float) -> float:
    """E|p̃ − p| of one draw from the truncated, tempered posterior, to 1e-10."""
    return _ops_moments(prior, n, p, epsilon, a0)[0]


def exact_efficiency_nonprivate(prior: ArrayLike, n: float, p: float) -> float:
    """n E(p̃ − p)² I of one posterior draw; it tends to 2."""
    alpha, beta, n, p = _setting(prior, n, p)
    k, mass = successes(n, p)
    return _efficiency(float(mass @ beta_squared_error(alpha + k, beta + n - k, p)), n, p)


def exact_efficiency_laplace(
    prior: ArrayLike, n: float, p: float, epsilon: float, projection: Projection = "zero"
) -> float:
    """n E(p̃ − p)² I of one draw from the Laplace mechanism's posterior; it tends to 2 (Theorem 4)."""
    alpha, beta, n, p = _setting(prior, n, p)
    rule = _noisy(n, p, epsilon, projection)
    return _efficiency(rule.mean(beta_squared_error(alpha + rule.s[:, np.newaxis], beta + rule.t, p)), n, p)


def exact_efficiency_laplace_mean(
    prior: ArrayLike, n: float, p: float, epsilon: float, projection: Projection = "zero"
) -> float:
    """n E(p̃ − p)² I of the mean of the Laplace mechanism's posterior; it tends to 1 (Remark 1)."""
    alpha, beta, n, p = _setting(prior, n, p)
    rule = _noisy(n, p, epsilon, projection)
    a, b = alpha + rule.s[:, np.newaxis], beta + rule.t
    return _efficiency(rule.mean((a / (a + b) - p) ** 2), n, p)


def exact_efficiency_ops(prior: ArrayLike, n: float, p: float, epsilon: float, a0: float) -> float:
    """n E(p̃ − p)² I of one draw of OPS; it tends to 1 + T where a₀ < p < 1 − a₀ (Theorem 5)."""
    alpha, beta, n, p = _setting(prior, n, p)
    return _efficiency(_ops_moments((alpha, alpha + beta), n, p, epsilon, a0)[1], n, p)


def exact_kl_laplace(prior: ArrayLike, n: float, p: float, epsilon: float, projection: Projection = "zero") -> float:
    r"""E[KL(p̃_N ‖ p_N)] of Lemma 1: the Laplace mechanism's posterior from the posterior of the same data, to 1e-9.

    With D(x → y) = ln Γ(y) − ln Γ(x) − (y − x)ψ(x), of the shapes a = α + ŝ, b = β + t̂ and a′ = α + k, b′ = β + n − k,

        KL(Beta(a, b) ‖ Beta(a′, b′)) = D(a → a′) + D(b → b′) − D(a + b → a′ + b′),

    where the first two each see one noisy count, and a′ + b′ is the same for all data.
    """
    alpha, beta, n, p = _setting(prior, n, p)
    scale, upper = laplace_scale(epsilon), _upper(projection, n)
    k, mass = successes(n, p)
    total = 0.0
    for shape, counts in ((alpha, k), (beta, n - k)):
        for part in chunks(len(k), scale, counts):
            nodes, weights = laplace_rule(counts[part], scale, upper)
            gap = log_gamma_gap(shape + nodes, nodes - counts[part, np.newaxis], 0.0)
            total += float(mass[part] @ np.sum(weights * gap, axis=1))
    rule = noisy_counts(n, p, scale, upper)
    both = rule.s[:, np.newaxis] + rule.t
    return total - rule.mean(log_gamma_gap(alpha + beta + both, both - n, 0.0))


def beta_l1_error(a: ArrayLike, b: ArrayLike, p: float) -> Array:
    """E|X − p| = m − p + 2 [p I_p(a, b) − m I_p(a+1, b)] for X ~ Beta(a, b) of mean m.

    The second I is the first less p^a (1−p)^b / (a B(a, b)), so one incomplete beta function does.
    """
    a, b = np.broadcast_arrays(np.asarray(a, dtype=float), np.asarray(b, dtype=float))
    mean = a / (a + b)
    log_step = a * math.log(p) + b * math.log1p(-p) + gammaln(a + b) - gammaln(a + 1.0) - gammaln(b)
    below = betainc(a, b, p)
    return mean - p + 2.0 * ((p - mean) * below + mean * np.exp(log_step))


def beta_squared_error(a: ArrayLike, b: ArrayLike, p: float) -> Array:
    """E(X − p)² = m(1−m)/(a+b+1) + (m − p)² for X ~ Beta(a, b) of mean m."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    mean = a / (a + b)
    return mean * (1.0 - mean) / (a + b + 1.0) + (mean - p) ** 2


# -- what the parameters may be ------------------------------------------------------------------------------------


def _setting(prior: ArrayLike, n: float, p: float) -> tuple[float, float, float, float]:
    eta, n = FAMILY.check_prior(prior), FAMILY.check_records(n)
    if not 0 < p < 1:
        raise InputError(f"p is {p:g}; the true success probability must lie strictly between 0 and 1.")
    return float(eta[0]), float(eta[1] - eta[0]), n, float(p)


def _efficiency(squared_error: float, n: float, p: float) -> float:
    return n * squared_error / (p * (1.0 - p))


def _noisy(n: float, p: float, epsilon: float, projection: Projection) -> NoisyCounts:
    return noisy_counts(n, p, laplace_scale(epsilon), _upper(projection, n))


def _upper(projection: Projection, n: float) -> float:
    return n if check_projection(projection) == "range" else math.inf


# -- OPS -----------------------------------------------------------------------------------------------------------


def _ops_moments(prior: ArrayLike, n: float, p: float, epsilon: float, a0: float) -> tuple[float, float]:
    """E|p̃ − p| and E(p̃ − p)², by quadrature over logit p̃, where the density is log-concave, cut at p."""
    alpha, beta, n, p = _setting(prior, n, p)
    t = temperature(sensitivity(a0), epsilon)
    k, mass = successes(n, p)
    a, b = (k + alpha - 1.0) / t + 1.0, (n - k + beta - 1.0) / t + 1.0

    def log_f(theta: Array) -> Array:
        return a * log_expit(theta) + b * log_expit(-theta)

    ends = np.clip([-math.inf, logit(p), math.inf], logit(a0), logit(1.0 - a0))
    parts = [np.full((len(k), 2), part).T for part in pairwise(ends) if part[0] < part[1]]
    normalizer = np.logaddexp.reduce([log_integral(log_f, low, high, panels=6) for low, high in parts])
    first, second = np.zeros(len(k)), np.zeros(len(k))
    for low, high in parts:
        theta, weights = nodes_and_weights(log_f, low, high, panels=6)
        density = weights * np.exp(log_f(theta) - normalizer)
        error = np.abs(np.exp(log_expit(theta)) - p)
        first += np.sum(density * error, axis=0)
        second += np.sum(density * error**2, axis=0)
    return float(mass @ first), float(mass @ second)
