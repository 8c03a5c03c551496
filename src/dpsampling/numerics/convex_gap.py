r"""The convexity gap of ln Γ, without cancellation.

For a function f, a point x, a step d and k ≥ 0 let

    D[f](x, d, k) = [f(x + k d) − f(x)] / k − [f(x) − f(x − d)],

which is (k + 1) d² times the second divided difference of f at x − d, x, x + k d, so it is ≥ 0 for convex f;
at k = 0 it is f(x − d) − f(x) + d f′(x). Rényi divergences of Beta, Dirichlet and Gamma distributions are sums of
D[ln Γ]. Written as above it loses all its digits when d is small against x. Here it is a sum of positive terms:

    ln Γ(x) = ln Γ(x + N) − Σ_{j<N} ln(x + j),     N = 16,
    ln Γ(y) = (y − ½) ln y − y + ½ ln 2π + Σ_i c_i y^{1−2i}          (Stirling, y ≥ 16),

and D of each piece has a form in u = d / y that does not cancel:

    D[−ln y]   = −h(ku)/k − h(−u),                h(v) = ln(1+v) − v ≤ 0
    D[y ln y]  = y [φ(ku)/k + φ(−u)],             φ(v) = (1+v) ln(1+v) − v ≥ 0
    D[y^{−m}]  = y^{−m} [q_m(ku)/k + q_m(−u)],    q_m(v) = (1+v)^{−m} − 1 + m v ≥ 0.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import zeta

Array = NDArray[np.float64]

SHIFT = 16
FEW = 500  # points
TINY = 2.0**-400  # a step so small against x that its square may be 0 against that of x
# B_{2i} / (2i (2i − 1)); beyond y = 16 the next term is below 1e-21.
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400)


def log_gamma_gap(x: ArrayLike, step: ArrayLike, k: ArrayLike, behind: ArrayLike | None = None) -> Array:
    """D[ln Γ](x, step, k), elementwise; +inf where x + k·step ≤ 0.

    `behind` is x − step where it is known exactly: a small one is lost in that difference. Where it is 0 or less there
    is no such value, and the result is nan. Steps below 2^-400 x leave (k+1)/2 · step² · ψ₁(x), whose square may be 0.
    """
    x, step, k, behind = np.broadcast_arrays(
        *(np.asarray(a, dtype=float) for a in (x, step, k, np.subtract(x, step) if behind is None else behind))
    )
    ahead = x + k * step
    # Points outside the domain get harmless stand-ins first and their verdict last.
    # Within two units in the last place of the edge, rounding decides the side; the infinite one is taken, so that an
    # order which is λ* on paper (21 for α₀ = 6, scale 0.3) is λ* here.
    has_start = behind > 0
    inside = (ahead > 2.0 * np.finfo(float).eps * x) & has_start
    tiny = inside & (np.maximum(k, 1.0) * np.abs(step) < TINY * x)
    tangent = np.zeros(x.shape)
    tangent[tiny] = (k[tiny] + 1.0) / 2.0 * step[tiny] * zeta(2.0, x[tiny]) * step[tiny]
    inside &= ~tiny
    x, step, k = np.where(inside, x, 1.0), np.where(inside, step, 0.0), np.where(inside, k, 0.0)
    ahead, behind = np.where(inside, ahead, 1.0), np.where(inside, behind, 1.0)

    gap = np.zeros(x.shape)
    for part in _shifted(x, step, k, ahead, behind):
        gap += part
    y, ahead, behind = x + SHIFT, ahead + SHIFT, behind + SHIFT
    gap += 0.5 * minus_log_gap(y, step, k, ahead, behind) + _entropy_gap(y, step, k, ahead, behind)
    gap += _stirling_gap(y, step, k, ahead, behind)
    # On the other side of the domain ln Γ's integral diverges: the divergence is infinite.
    gap = np.where(tiny, tangent, np.where(inside, gap, np.inf))
    return np.where(has_start, gap, np.nan)


def _shifted(x: Array, step: Array, k: Array, ahead: Array, behind: Array) -> Iterator[Array]:
    """D[−ln] at x, x + 1, …; a few points are done at once, for there the calls cost more than the numbers."""
    if x.size <= FEW:
        j = np.arange(float(SHIFT)).reshape(-1, *(1 for _ in x.shape))
        yield from minus_log_gap(x + j, step, k, ahead + j, behind + j)
    else:
        yield from (minus_log_gap(x + j, step, k, ahead + j, behind + j) for j in range(SHIFT))


def _per_k(value: Array, k: Array) -> Array:
    """value(k)/k with its limit 0 at k = 0 (each value here is O(k²))."""
    return np.divide(value, k, out=np.zeros(value.shape), where=k > 0)


def _log1p_gap(v: Array, one_plus_v: Array) -> Array:
    """h(v) = ln(1+v) − v to full relative accuracy; `one_plus_v` is passed because 1 + v may have lost it."""
    # With t = v/(2+v): ln(1+v) = 2 artanh t and v = 2t/(1−t), so h = −v t + 2t³ Σ t^{2j}/(2j+3).
    near = (v > -0.5) & (v < 1.0)
    t = np.where(near, v / (2.0 + v), 0.0)
    series = np.zeros_like(t)
    for j in range(16, -1, -1):
        series *= t
        series *= t
        series += 1.0 / (2 * j + 3)
    return np.where(near, -v * t + 2.0 * t**3 * series, np.log(one_plus_v) - v)


def minus_log_gap(y: Array, step: Array, k: Array, ahead: Array, behind: Array) -> Array:
    """D[−ln y]."""
    forward = -_log1p_gap(k * step / y, ahead / y)
    return _per_k(forward, k) - _log1p_gap(-step / y, behind / y)


def _entropy_gap(y: Array, step: Array, k: Array, ahead: Array, behind: Array) -> Array:
    """D[y ln y]."""

    def phi(v: Array, one_plus_v: Array) -> Array:
        # Two forms of φ: the first is exact near 0, the second does not cancel for large v.
        return np.where(
            np.abs(v) < 1, v * v + one_plus_v * _log1p_gap(v, one_plus_v), one_plus_v * np.log(one_plus_v) - v
        )

    return y * (_per_k(phi(k * step / y, ahead / y), k) + phi(-step / y, behind / y))


def _stirling_gap(y: Array, step: Array, k: Array, ahead: Array, behind: Array) -> Array:
    """D[Σ c_i y^{1−2i}], through q_m = (q_{m−1} + m v²)/(1+v), q_0 = 0."""
    total = np.zeros(y.shape)
    forward, backward = k * step / y, -step / y
    q_forward, q_backward = np.zeros(y.shape), np.zeros(y.shape)
    for m in range(1, 2 * len(STIRLING)):
        q_forward = (q_forward + m * forward**2) / (ahead / y)
        q_backward = (q_backward + m * backward**2) / (behind / y)
        if m % 2:
            total += STIRLING[m // 2] * y ** float(-m) * (_per_k(q_forward, k) + q_backward)
    return total
