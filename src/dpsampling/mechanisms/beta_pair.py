r"""The exact (ε, δ) of two Beta laws whose parameters have the same sum: Algorithms 1-3 without any Rényi loss.

Let P = Beta(a, b), Q = Beta(a − d, b + d) and θ = ln ρ/(1−ρ). Then ln P/Q = dθ + c with c = ln B(Q) − ln B(P) is
monotone, and the worst event for e^ε is one tail, from θ₀ = (ε − c)/d on, ρ₀ = 1/(1 + e^{−θ₀}):

    δ(ε) = F_P(ρ₀) − e^ε F_Q(ρ₀)  if d < 0,      the same with upper tails  if d > 0.

(A step s → s + r of the data has d = −r.) That difference cancels. As an integral over the tail it does not: at a
distance u inside it ln P/Q exceeds ε by |d| u, so

    δ(ε) = ∫₀^∞ P(θ₀ ∓ u) (1 − e^{−|d| u}) du,

whose integrand is positive and log-concave. Relative error below 1e-9, for any δ (see the tests).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import digamma

from dpsampling.errors import InputError
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.convex_gap import log_gamma_gap
from dpsampling.numerics.log_concave import log_integral
from dpsampling.numerics.panels import halving_to_both_ends
from dpsampling.numerics.truncated_beta import LogitBeta
from dpsampling.privacy.rounding import LEAST, round_up

MARGIN = 1.0 + 1e-8  # beyond that error
PANELS = 8
SMALL_SHAPE = 0.5
CHUNK = 4000  # pairs whose quadrature nodes are held in memory together


def log_delta(a: ArrayLike, b: ArrayLike, step: ArrayLike, epsilon: ArrayLike) -> Array:
    """ln δ(ε) of Beta(a, b) against Beta(a − step, b + step), elementwise."""
    a, b, d, epsilon = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in (a, b, step, epsilon)))
    _check(a, b, d, epsilon)
    # ρ ↦ 1 − ρ makes the upper tail a lower one.
    mirrored = d > 0
    a, b, r = np.where(mirrored, b, a), np.where(mirrored, a, b), np.abs(d)
    same = r == 0
    r = np.where(same, 1.0, r)
    b_safe = np.where(same, b + 1.0, b)
    edge = -(epsilon - _log_partition_difference(a, b_safe, r)) / r
    law = LogitBeta(a, b_safe)
    peak, area = law.peak, law.log_area(law.left, law.right)

    def log_integrand(u: Array) -> Array:
        with np.errstate(divide="ignore"):
            return law.rise(edge - u - peak) - area + np.log(-np.expm1(-r * u))

    # Left of both the edge and the peak the integrand falls at least like e^{−au/2} once P has left its own bulk.
    below = (150.0 + np.log1p(a / r) + (a + b_safe) * np.log1p(np.exp(peak))) / a
    reach = np.maximum(edge - peak, 0.0) + below
    if np.all(np.minimum(a, b_safe) >= SMALL_SHAPE):
        result = log_integral(log_integrand, np.zeros_like(reach), reach, panels=PANELS)
    else:  # tails much longer than the bends: cut where P bends and peaks, and where the second factor does
        bends = np.stack([np.zeros_like(reach), 1.0 / r, edge, edge - peak, reach])
        result = _log_integral_between(log_integrand, np.sort(np.clip(bends, 0.0, reach), axis=0))
    return np.where(same, -np.inf, np.minimum(result, 0.0))


def delta(a: ArrayLike, b: ArrayLike, step: ArrayLike, epsilon: ArrayLike) -> Array:
    """δ(ε) of Beta(a, b) against Beta(a − step, b + step)."""
    return np.exp(log_delta(a, b, step, epsilon))


def worst_case_delta(
    prior: ArrayLike, n: float, epsilon: float, *, data_weight: float = 1.0, prior_weight: float = 1.0
) -> float:
    """The largest δ(ε) over all neighbouring data sets of n bits, rounded up; the prior is (α₀, α₀ + β₀)."""
    return min(
        1.0, round_up(worst_case(prior, n, epsilon, data_weight=data_weight, prior_weight=prior_weight)[0] * MARGIN)
    )


def worst_case(
    prior: ArrayLike, n: float, epsilon: float, *, data_weight: float = 1.0, prior_weight: float = 1.0
) -> tuple[float, tuple[float, float]]:
    """That δ before rounding, and the statistics of the pair that attains it.

    Every s is looked at. In all of 2100 random settings it was one of Theorem 10's end pairs, but that is no proof.
    """
    family = BetaBernoulli()
    n = int(family.check_records(n))
    if not (data_weight > 0 and prior_weight > 0):
        raise InputError(f"weights are {data_weight:g} and {prior_weight:g}; both must be above 0.")
    alpha, beta = (float(x) * prior_weight for x in family.law(family.check_prior(prior)))
    best = (-math.inf, (0.0, 1.0))
    for start in range(0, n, CHUNK):
        s = np.arange(start, min(start + CHUNK, n), dtype=float)
        s_p, s_q = np.concatenate([s, s + 1.0]), np.concatenate([s + 1.0, s])
        level = log_delta(alpha + data_weight * s_p, beta + data_weight * (n - s_p), data_weight * (s_p - s_q), epsilon)
        i = int(np.argmax(level))
        best = max(best, (float(level[i]), (float(s_p[i]), float(s_q[i]))))
    return max(math.exp(best[0]), LEAST), best[1]


def _log_integral_between(log_f: Callable[[Array], Array], cuts: Array) -> Array:
    """ln ∫ e^{log_f} from the first cut to the last, with panels that halve towards every cut."""
    column = (-1, *([1] * (cuts.ndim - 1)))
    nodes, weights = (part.reshape(column) for part in halving_to_both_ends(32, 12))
    total = np.full(cuts.shape[1:], -np.inf)
    for low, high in pairwise(cuts):
        values = log_f(low + (high - low) * nodes)
        top = np.maximum(values.max(axis=0), -1e300)
        part = np.sum(weights * (high - low) * np.exp(values - top), axis=0)
        with np.errstate(divide="ignore"):
            total = np.logaddexp(total, top + np.log(part))
    return total


def _log_partition_difference(a: Array, b: Array, r: Array) -> Array:
    """c = ln B(a + r, b − r) − ln B(a, b): the tangent at (a, b) and the convexity gap of ln Γ from it."""
    tangent = r * (digamma(a) - digamma(b))
    return tangent + log_gamma_gap(a, -r, 0.0) + log_gamma_gap(b, r, 0.0)


def _check(a: Array, b: Array, d: Array, epsilon: Array) -> None:
    if not np.all((a > 0) & (b > 0) & (a - d > 0) & (b + d > 0) & np.isfinite(a + b)):
        raise InputError("both laws need finite Beta parameters above 0; a prior with positive parameters gives them.")
    if not np.all((epsilon >= 0) & np.isfinite(epsilon)):
        raise InputError("epsilon must be 0 or more and finite.")
