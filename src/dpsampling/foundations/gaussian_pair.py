r"""What tells two Gaussians of different variances apart: δ(ε) = ∫ (p − e^ε q)₊ in closed form.

With P = N(D, s²) and Q = N(0, t²), r = s/t, u = D/t, and z = (y − D)/s,

    ln p/q > ε        if and only if        (r² − 1) z² + 2 r u z + u² − 2(ε + ln r) > 0.

For r > 1 that is outside the two roots, for r < 1 between them or nowhere, for r = 1 a half-line. The masses of P and Q
there are values of Φ at the roots z and at rz + u. As s, t → ∞ with r kept, u → 0 and

    δ(ε) → 2Φ(−a) − 2e^ε Φ(−ra),      a² = 2(ε + ln r)/(r² − 1),      r > 1:

a floor above 0. Unequal noise is told from its width, however wide it is.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from dpsampling.numerics.enclosure import Enclosure, as_ball, enclose
from dpsampling.privacy import gaussian_dp

if TYPE_CHECKING:
    from flint import arb

Rational = Fraction | float


def delta(shift: Rational, first: Rational, second: Rational, epsilon: Rational) -> Enclosure:
    """δ(ε) of N(shift, first²) against N(0, second²), ε ≥ 0."""
    ratio, moved = Fraction(first) / Fraction(second), Fraction(shift) / Fraction(second)
    return enclose(lambda: excess(as_ball(moved), as_ball(ratio), as_ball(epsilon), equal=ratio == 1))


def floor(ratio: Rational, epsilon: Rational) -> Enclosure:
    """Return what is left of δ(ε) if both scales grow alike, the first being `ratio` times the second."""
    return delta(0, ratio, 1, epsilon)


def excess(u: arb, r: arb, epsilon: arb, *, equal: bool) -> arb:
    """The same in balls, of u and r; not finite where more bits are needed."""
    u = abs(u)
    if equal:
        return 0 * u if u.is_zero() else gaussian_dp.excess(u, epsilon)
    square = r * r - 1
    discriminant = u * u + 2 * square * (epsilon + r.log())
    if discriminant < 0:
        return 0 * u
    root = discriminant.sqrt()
    ends = [(-r * u - root) / square, (-r * u + root) / square]
    if square > 0:
        low, high = ends
        return _outside(low, high) - epsilon.exp() * _outside(r * low + u, r * high + u)
    high, low = ends
    return _between(low, high) - epsilon.exp() * _between(r * low + u, r * high + u)


def _outside(low: arb, high: arb) -> arb:
    return gaussian_dp.normal(low) + gaussian_dp.normal(-high)


def _between(low: arb, high: arb) -> arb:
    return gaussian_dp.normal(high) - gaussian_dp.normal(low)
