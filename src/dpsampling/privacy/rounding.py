"""Rounding upwards, towards less privacy: what a promise prints is never below what it means, however small that is.

A factor of 1 + 2⁻⁴⁰ is beyond the rounding errors of a formula, but moves nothing below 2⁻¹⁰³⁵, where the next float is
further away than that; and a product that is too small for a float is 0, which promises what nothing keeps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction

LEAST = math.ulp(0.0)  # a promise of something is at least this
MARGIN = 1.0 + 2.0**-40  # beyond the rounding errors of a formula
WIDE = Context(prec=60, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])  # no power of a float is too small or too large for it


def round_up(value: float) -> float:
    """A number 2⁻⁴⁰ of itself above `value`, and the next float at least; 0 stays 0."""
    return max(value * MARGIN, math.nextafter(value, math.inf)) if value > 0 else value


def float_above(exact: Fraction | Decimal) -> float:
    """The least float that is not below an exact number."""
    try:
        near = float(exact)
    except OverflowError:
        return math.inf
    return near if exact <= near else math.nextafter(near, math.inf)


def sum_up(values: Sequence[float], count: int = 1) -> float:
    """count times the sum, the next float above it where no float is exact."""
    if not all(map(math.isfinite, values)):
        return math.inf
    return float_above(int(count) * sum(map(Fraction, values), Fraction(0)))
