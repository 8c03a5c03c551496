r"""Amplification by couplings: Theorem 20 and its examples (thesis section 6.4).

For laws μ, ν, any ω and any coupling of ω and μ that moves x to H(x),

    R_α(μK‖νK) ≤ R_α(ω‖ν) + sup_x R_α(H(x)K ‖ K(x)).                                             (6.2)

With ω a translate of both laws, ω = N(w, σ₁²) or Lap(w, λ₁), a part |w − v| of the distance Δ = |u − v| is hidden by
the first noise and the rest by the second, and w is free.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.errors import InputError
from dpsampling.numerics.arrays import Array
from dpsampling.privacy.guarantee import SMALL, Pure, Renyi
from dpsampling.privacy.rounding import LEAST, float_above, round_up

TOLERANCE = 1e-9  # relative error of the quadrature
_GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0
_RULE = np.polynomial.legendre.leggauss(16)


# -- Gaussian noise -------------------------------------------------------------------------------------------------


def lipschitz_gaussian(sensitivity: float, sigma1: float, sigma2: float, lipschitz: float) -> Renyi:
    """ψ(x) + N(0, σ₂²) of a Gaussian mechanism's output, ψ L-Lipschitz: αΔ²/(2σ*²), σ*² = σ₁² + σ₂²/L².

    The best w leaves min over t of t²/σ₁² + L²(Δ − t)²/σ₂² = Δ²/(σ₁² + σ₂²/L²); affine maps attain it.
    """
    _check_positive(sigma1=sigma1, sigma2=sigma2)
    _check_level(sensitivity=sensitivity, lipschitz=lipschitz)
    # (ΔL)²/((Lσ₁)² + σ₂²) is also right at L = 0, where nothing is left of the input.
    delta, factor, first, second = (Fraction(value) for value in (sensitivity, lipschitz, sigma1, sigma2))
    rate = float_above((delta * factor) ** 2 / ((factor * first) ** 2 + second**2) / 2)
    return Renyi(lambda order: round_up(order * rate))


# -- Laplace noise --------------------------------------------------------------------------------------------------


def laplace(sensitivity: float, scale: float) -> Renyi:
    """The exact curve of the Laplace mechanism, ln g_α(Δ/λ)/(α − 1) (Mironov 2017, Cor. 2)."""
    _check_positive(scale=scale)
    _check_level(sensitivity=sensitivity)
    distance = _quotient(sensitivity, scale)
    return Renyi(lambda order: _positive(laplace_divergence(order, distance), sensitivity))


def iterated_laplace(sensitivity: float, scale1: float, scale2: float) -> Renyi:
    """Laplace noise on the output of a Laplace mechanism, by (6.2): min over w of ln(g_α g_α)/(α − 1)."""
    _check_positive(scale1=scale1, scale2=scale2)
    _check_level(sensitivity=sensitivity)
    return Renyi(lambda order: _positive(_least_sum(order, sensitivity, scale1, scale2), sensitivity))


def iterated_laplace_limit(sensitivity: float, scale1: float, scale2: float) -> Pure:
    """Δ/max(λ₁, λ₂): the least ε for which iterated Laplace noise is ε-DP (Lemma 5)."""
    _check_positive(scale1=scale1, scale2=scale2)
    _check_level(sensitivity=sensitivity)
    return Pure(round_up(_quotient(sensitivity, max(scale1, scale2))))


def laplace_divergence(order: float, distance: float) -> float:
    r"""ln g_α(z)/(α − 1), with g_α(z) = a e^{(α−1)z} + b e^{−αz}, a = α/(2α−1), b = (α−1)/(2α−1).

    The linear terms of the two exponentials cancel exactly: g_α − 1 = a h((α−1)z) + b h(−αz), h(x) = e^x − 1 − x ≥ 0.
    Where both h underflow, αz²/2 is the divergence to all digits.
    """
    k, z = order - 1.0, distance
    a, b = order / (2.0 * order - 1.0), k / (2.0 * order - 1.0)
    if order * z < 1.0:
        excess = a * _above_tangent(k * z) + b * _above_tangent(-order * z)
        return math.log1p(excess) / k if excess > SMALL else order * z * (z / 2.0)
    # g e^{−(α−1)z} = 1 − b (1 − e^{−(2α−1)z})
    return z + math.log1p(b * math.expm1(-(2.0 * order - 1.0) * z)) / k


def log_density(x: ArrayLike, scale1: float, scale2: float) -> Array:
    r"""ln of the density (6.3) of the sum of two independent Laplace variables.

    With λ the larger scale, κ = 1/λ_min − 1/λ and u = κ|x|, (6.3) is

        e^{−|x|/λ}/(2(λ₁ + λ₂)) · (1 + (|x|/λ)(1 − e^{−u})/u),

    which has one form for equal and unequal scales and no term that cancels.
    """
    distance, large, small = np.abs(np.asarray(x, dtype=float)), max(scale1, scale2), min(scale1, scale2)
    u = distance * ((large - small) / large / small)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(u > 0, -np.expm1(-u) / u, 1.0)
    return np.log1p(distance / large * mean) - distance / large - math.log(2.0 * (scale1 + scale2))


def iterated_laplace_divergence(order: float, sensitivity: float, scale1: float, scale2: float) -> float:
    """The exact R_α of iterated Laplace laws at distance Δ, by quadrature of the density (6.3)."""
    _check_positive(scale1=scale1, scale2=scale2)
    _check_level(sensitivity=sensitivity)
    if not order > 1:
        raise InputError(f"order is {order:g}; a Rényi divergence has an order above 1.")
    if sensitivity == 0:
        return 0.0
    scale = max(scale1, scale2)
    delta, s1, s2 = sensitivity / scale, scale1 / scale, scale2 / scale

    def log_ratio(x: Array) -> Array:
        return log_density(x, s1, s2) - log_density(x - delta, s1, s2)

    # Outside [0, Δ] the integrand falls towards the tails, at most like a power of |x| slower than e^{−|x|}.
    reach = 60.0 + 8.0 * math.sqrt(order * delta) + 2.0 * delta
    cuts = (-reach, 0.0, delta, delta + reach)
    nodes, weights = _graded_rule(cuts, min(s1, s2) / (2.0 * order + 1.0))
    log_p, ratio = log_density(nodes, s1, s2), log_ratio(nodes)
    # ∫ P (e^{(α−1)r} − 1 − (α−1)(1 − e^{−r})) is the same integral less 1, as ∫ P (1 − e^{−r}) = 0, and its integrand
    # is of second order in r: no digits are lost where the divergence is small.
    k = order - 1.0
    if k * float(ratio.max()) < 1.0:
        excess = np.exp(log_p) * (np.expm1(k * ratio) + k * np.expm1(-ratio))
        return max(0.0, math.log1p(float(weights @ excess))) / k
    exponent = log_p + k * ratio
    top = float(exponent.max())
    return max(0.0, top + math.log(float(weights @ np.exp(exponent - top)))) / k


def _graded_rule(cuts: tuple[float, ...], finest: float) -> tuple[Array, Array]:
    """Gauss-Legendre on panels that are even over each interval, and halve towards its ends down to `finest`."""
    x, w = _RULE
    nodes, weights = [], []
    for low, high in pairwise(cuts):
        half = (high - low) / 2.0
        halvings = max(8, math.ceil(math.log2(max(half / finest, 1.0))) + 3)
        ends = half * 0.5 ** np.arange(1, halvings)
        inside = np.concatenate([low + ends, high - ends, np.linspace(low, high, 65)])
        edges = np.unique(inside)
        lengths = np.diff(edges)[:, np.newaxis]
        nodes.append((edges[:-1, np.newaxis] + lengths * (x + 1.0) / 2.0).ravel())
        weights.append((lengths * w / 2.0).ravel())
    return np.concatenate(nodes), np.concatenate(weights)


def _least_sum(order: float, sensitivity: float, scale1: float, scale2: float) -> float:
    """The minimum over t in [0, Δ] of the divergences of t and Δ − t: convex in t, so golden section finds it."""

    def total(t: float) -> float:
        first, second = _quotient(t, scale1), _quotient(sensitivity - t, scale2)
        return laplace_divergence(order, first) + laplace_divergence(order, second)

    low, high = 0.0, sensitivity
    c, d = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    f_c, f_d = total(c), total(d)
    for _ in range(80):
        if f_c < f_d:
            high, d, f_d = d, c, f_c
            c = high - _GOLDEN * (high - low)
            f_c = total(c)
        else:
            low, c, f_c = c, d, f_d
            d = low + _GOLDEN * (high - low)
            f_d = total(d)
    return min(f_c, f_d, total(0.0), total(sensitivity))


def _quotient(distance: float, scale: float) -> float:
    """A float above distance/scale, and 0 for no distance."""
    return math.nextafter(distance / scale, math.inf) if distance > 0 else 0.0


def _positive(level: float, sensitivity: float) -> float:
    """A level rounded up, which is 0 only where nothing is to be hidden."""
    return round_up(max(level, LEAST)) if sensitivity > 0 else 0.0


def _above_tangent(x: float) -> float:
    """e^x − 1 − x."""
    if abs(x) > 0.5:
        return math.expm1(x) - x
    total, term = 0.0, x * x / 2.0
    for i in range(3, 24):
        total += term
        term *= x / i
    return total


def _check_positive(**values: float) -> None:
    for name, value in values.items():
        if not (value > 0 and math.isfinite(value)):
            raise InputError(f"{name} is {value:g}; a scale of noise is above 0 and finite.")


def _check_level(**values: float) -> None:
    for name, value in values.items():
        if not (value >= 0 and math.isfinite(value)):
            raise InputError(f"{name} is {value:g}; it must be 0 or more and finite.")
