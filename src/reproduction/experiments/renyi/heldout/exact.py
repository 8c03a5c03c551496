r"""E[−ln Pr(X_H | θ)] of Figures 5.5–5.8 without simulation, by summation over the data.

Given s successes, θ's law is a Beta(a, b) with E ln p = ψ(a) − ψ(a + b), and the held-out count h is independent of it
with mean nρ. The Gaussian statistic mixes such laws over its noise.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import digamma, ndtr

from dpsampling.mechanisms.base import Mechanism
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli, log_choose
from dpsampling.mechanisms.gaussian_statistic import GaussianStatistic
from dpsampling.mechanisms.posterior import WeightedPosterior
from dpsampling.numerics.panels import halving_to_both_ends

Array = NDArray[np.float64]


def exact_mean(mechanism: Mechanism, rho: float) -> float:
    """The expectation; nan for a mechanism, or a family, whose law of θ given the data has no such form."""
    if not isinstance(mechanism, GaussianStatistic | WeightedPosterior):
        return math.nan
    return _exact_mean(mechanism, rho) if isinstance(mechanism.family, BetaBernoulli) else math.nan


def _exact_mean(mechanism: GaussianStatistic | WeightedPosterior, rho: float) -> float:
    n, family = mechanism.n, BetaBernoulli()
    counts, pmf = _binomial(n, rho)

    def expected_cost(law: Array) -> Array:
        """n ρ E[−ln p] + n (1−ρ) E[−ln(1−p)] under a Beta law."""
        alpha, beta = law[..., 0], law[..., 1]
        return n * (digamma(alpha + beta) - rho * digamma(alpha) - (1.0 - rho) * digamma(beta))

    if isinstance(mechanism, GaussianStatistic):
        prior = np.asarray(mechanism.prior, dtype=float)
        sigma = mechanism.sigma

        def at(statistic: ArrayLike) -> Array:
            return expected_cost(family.posterior(prior, statistic, n))

        # The clipped statistic has an atom at each end and, for each count, a piece of a normal density between.
        atoms = np.sum(pmf * ndtr(-counts / sigma)) * at(0.0) + np.sum(pmf * ndtr((counts - n) / sigma)) * at(n)
        low, high = np.maximum(counts - 9.0 * sigma, 0.0), np.minimum(counts + 9.0 * sigma, n)
        nodes, weights = halving_to_both_ends(16, 12)  # ψ may bend sharply at an end
        inner = 0.0
        for part in np.array_split(np.arange(len(counts)), 1 + len(counts) // 1000):
            width = (high - low)[part, np.newaxis]
            t = low[part, np.newaxis] + width * nodes
            density = np.exp(-0.5 * ((t - counts[part, np.newaxis]) / sigma) ** 2) / (sigma * math.sqrt(2.0 * math.pi))
            inner += float(np.sum(pmf[part, np.newaxis] * width * weights * density * at(t)))
        return float(atoms) + inner - _meanlog_choose(n, rho)
    return float(np.sum(pmf * expected_cost(mechanism.output_parameter(counts)))) - _meanlog_choose(n, rho)


def _binomial(n: float, rho: float) -> tuple[Array, Array]:
    """The counts within 12 standard deviations of nρ, and their probabilities."""
    reach = 12.0 * math.sqrt(n * rho * (1.0 - rho)) + 50.0
    counts = np.arange(max(0.0, math.floor(n * rho - reach)), min(n, math.ceil(n * rho + reach)) + 1.0)
    return counts, np.exp(log_choose(n, counts) + counts * math.log(rho) + (n - counts) * math.log1p(-rho))


def _meanlog_choose(n: float, rho: float) -> float:
    counts, pmf = _binomial(n, rho)
    return float(np.sum(pmf * log_choose(n, counts)))
