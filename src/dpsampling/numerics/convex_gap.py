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
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import zeta

from dpsampling.numerics.arrays import Array

SHIFT = 16
FEW = 200  # points
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
    pairs = _shifted(x, step, k, ahead, behind)
    for _ in range(SHIFT):
        gap += _minus_log_gap(next(pairs), k)
    last = next(pairs)
    gap += 0.5 * _minus_log_gap(last, k) + _entropy_gap(last, k)
    gap += _stirling_gap(last, k)
    # On the other side of the domain ln Γ's integral diverges: the divergence is infinite.
    gap = np.where(tiny, tangent, np.where(inside, gap, np.inf))
    return np.where(has_start, gap, np.nan)


class _Pair(NamedTuple):
    """At y = x + j: u = k·step/y and −step/y, one above the other, each with 1 + u as it is known and with h(u)."""

    y: Array
    u: Array
    one_plus_u: Array
    h: Array


def _shifted(x: Array, step: Array, k: Array, ahead: Array, behind: Array) -> Iterator[_Pair]:
    """At x, x + 1, …, x + N; a few points are done at once, for there the calls cost more than the numbers."""
    if x.size <= FEW:
        j = np.arange(SHIFT + 1.0).reshape(-1, *(1 for _ in x.shape))
        every = _pair(x + j, step, k, ahead + j, behind + j)
        yield from (_Pair(every.y[i], every.u[:, i], every.one_plus_u[:, i], every.h[:, i]) for i in range(SHIFT + 1))
    else:
        yield from (_pair(x + j, step, k, ahead + j, behind + j) for j in range(SHIFT + 1))


def _pair(y: Array, step: Array, k: Array, ahead: Array, behind: Array) -> _Pair:
    u, one_plus_u = np.stack([k * step / y, -step / y]), np.stack([ahead / y, behind / y])
    return _Pair(y, u, one_plus_u, _log1p_gap(u, one_plus_u))


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
    y, step, k, ahead, behind = np.broadcast_arrays(y, step, k, ahead, behind)
    return _minus_log_gap(_pair(y, step, k, ahead, behind), k)


def _minus_log_gap(pair: _Pair, k: Array) -> Array:
    forward, backward = pair.h
    return _per_k(-forward, k) - backward


def _entropy_gap(pair: _Pair, k: Array) -> Array:
    """D[y ln y]."""
    v, one_plus_v = pair.u, pair.one_plus_u
    # Two forms of φ: the first is exact near 0, the second does not cancel for large v.
    phi = np.where(np.abs(v) < 1, v * v + one_plus_v * pair.h, one_plus_v * np.log(one_plus_v) - v)
    return pair.y * (_per_k(phi[0], k) + phi[1])


def _stirling_gap(pair: _Pair, k: Array) -> Array:
    """D[Σ c_i y^{1−2i}], through q_m = (q_{m−1} + m v²)/(1+v), q_0 = 0."""
    total, square, q = np.zeros(pair.y.shape), pair.u**2, np.zeros(pair.u.shape)
    for m in range(1, 2 * len(STIRLING)):
        q = (q + m * square) / pair.one_plus_u
        if m % 2:
            total += STIRLING[m // 2] * pair.y ** float(-m) * (_per_k(q[0], k) + q[1])
    return total
