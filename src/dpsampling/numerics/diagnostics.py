"""Whether chains have converged: split R̂ and effective sample size of a traced quantity.

With m half-chains of n values each, B/n the variance of their means and W the mean of their variances,

    R̂ = √(((n − 1)/n · W + B/n) / W)                       (Gelman et al., Bayesian Data Analysis, eqs. 11.1–11.4)
    ESS = m n / (1 + 2 Σ_t ρ_t)                             over the initial positive pairs of ρ_t (Geyer)

A chain that releases one sample under a promise that rests on convergence should have R̂ near 1; R̂ can show that it
has not converged, never that it has.
"""

from __future__ import annotations

import math

import numpy as np

from dpsampling.numerics.arrays import Array


def split_r_hat(chains: Array) -> float:
    """R̂ of (chains, draws)."""
    half = chains.shape[1] // 2
    parts = np.concatenate([chains[:, :half], chains[:, -half:]])
    within = float(parts.var(axis=1, ddof=1).mean())
    between = float(parts.mean(axis=1).var(ddof=1))
    if within == 0.0:
        return 1.0 if between == 0.0 else math.inf
    return math.sqrt(((half - 1.0) / half * within + between) / within)


def effective_size(chains: Array) -> float:
    """ESS of (chains, draws), from the autocovariances averaged over the chains."""
    many, draws = chains.shape
    centred = chains - chains.mean(axis=1, keepdims=True)
    within = float(chains.var(axis=1, ddof=1).mean())
    spread = float(chains.mean(axis=1).var(ddof=1)) if many > 1 else 0.0
    total = (draws - 1.0) / draws * within + spread
    if total == 0.0:
        return float(many * draws)

    def correlation(t: int) -> float:
        covariance = float((centred[:, : draws - t] * centred[:, t:]).sum()) / draws / many
        return 1.0 - (within - covariance * draws / (draws - 1.0)) / total

    time = -1.0
    for t in range(0, draws - 1, 2):
        pair = correlation(t) + correlation(t + 1)
        if pair <= 0.0:
            break
        time += 2.0 * pair
    return min(many * draws / max(time, 1e-12), float(many * draws))
