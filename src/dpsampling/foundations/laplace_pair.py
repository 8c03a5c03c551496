r"""What tells two Laplace laws of different scales apart: δ(ε) = ∫ (p − e^ε q)₊ in closed form, and that ε = ∞.

For P = Laplace(0, s) and Q = Laplace(D, t), D ≥ 0, the loss g(y) = |y − D|/t − |y|/s + ln(t/s) bends at 0 and D alone.
For s > t it falls up to D and rises without bound from there: no ε is enough, and p > e^ε q outside an interval. For
s < t it rises up to 0 and falls from there: p > e^ε q on an interval, or nowhere.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from dpsampling.numerics.enclosure import Enclosure, as_ball, enclose

if TYPE_CHECKING:
    from flint import arb

Rational = Fraction | float


def epsilon(shift: Rational, first: Rational, second: Rational) -> float:
    """sup ln p/q of scales `first` and `second` at this shift, to the nearest float."""
    s, t = Fraction(first), Fraction(second)
    if s > t:
        return math.inf
    return float(abs(Fraction(shift)) / t) + math.log(t / s)


def delta(shift: Rational, first: Rational, second: Rational, level: Rational) -> Enclosure:
    """δ at ε = `level` ≥ 0, of Laplace(0, first) against Laplace(shift, second)."""
    moved, ratio = abs(Fraction(shift)) / Fraction(second), Fraction(first) / Fraction(second)
    return enclose(lambda: excess(as_ball(moved), as_ball(ratio), as_ball(level), equal=ratio == 1))


def excess(u: arb, r: arb, level: arb, *, equal: bool) -> arb:
    """The same in balls, for P = Laplace(0, r) and Q = Laplace(u, 1); not finite where more bits are needed."""
    u = abs(u)
    if equal:
        return -((level - u) / 2).expm1() if level < u else 0 * u
    at_centre = u - r.log()  # g(0), the largest or the last before it rises
    at_shift = -u / r - r.log()
    inner, outer = 1 / r + 1, abs(1 - 1 / r)
    if r > 1:
        high = u + (level - at_shift) / outer
        if at_centre > level:
            low = (at_centre - level) / inner
            below = 1 - (-low / r).exp() / 2
        elif at_centre < level:
            low = -(level - at_centre) / outer
            below = (low / r).exp() / 2
        else:
            return as_ball(0) / 0
        return below + (-high / r).exp() / 2 - level.exp() * ((low - u).exp() + (u - high).exp()) / 2
    if at_centre < level:
        return 0 * u
    low = -(at_centre - level) / outer
    left = (low / r).exp() / 2
    if at_shift < level:
        high = (at_centre - level) / inner
        others = ((high - u).exp() - (low - u).exp()) / 2
    elif at_shift > level:
        high = u + (at_shift - level) / outer
        others = 1 - (u - high).exp() / 2 - (low - u).exp() / 2
    else:
        return as_ball(0) / 0
    return 1 - (-high / r).exp() / 2 - left - level.exp() * others
