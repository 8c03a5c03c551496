r"""Numbers with a certificate: intervals of floats that hold a real number, computed in ball arithmetic.

A ball of FLINT's `arb` is a midpoint and a radius such that the exact value of all that was computed lies inside. A
formula is evaluated in balls of `PRECISION` bits, and again with twice as many until 60 bits of the result are certain;
its two ends are then rounded outwards, so that what a float loses is never on the wrong side.

Arguments are exact: a float is the rational number it is. FLINT is imported where the first enclosure is computed.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flint import arb

PRECISION = 200  # bits to begin with
CERTAIN = 60  # bits of the result: its ends are then neighbouring floats, or the same
MOST = 1 << 18  # bits at which what is known is taken for the answer
MANTISSA, LEAST_EXPONENT = 53, -1074


@dataclass(frozen=True)
class Enclosure:
    """lower ≤ x ≤ upper for the real number x that is meant."""

    lower: float
    upper: float

    def __post_init__(self) -> None:
        if not self.lower <= self.upper:
            raise ValueError(f"an enclosure from {self.lower!r} to {self.upper!r} holds nothing")

    def __str__(self) -> str:
        return f"[{self.lower:.17g}, {self.upper:.17g}]"


UNBOUNDED = Enclosure(math.inf, math.inf)


def enclose(compute: Callable[[], arb]) -> Enclosure:
    """The number that `compute` gives, or 0 if it is less: run at rising precision until enough of it is certain."""
    import flint

    before, precision = flint.ctx.prec, PRECISION
    try:
        while True:
            flint.ctx.prec = precision
            ball = compute()
            if precision >= MOST or (ball.is_finite() and (ball.is_zero() or ball.rel_accuracy_bits() >= CERTAIN)):
                return _outwards(ball)
            precision *= 2
    finally:
        flint.ctx.prec = before


def enclose_rational(value: Fraction) -> Enclosure:
    """The floats around a rational number, 0 or more."""
    return enclose(lambda: as_ball(value))


def as_ball(value: Fraction | float) -> arb:
    """The ball of a rational number, at the precision of the moment."""
    from flint import arb, fmpq

    exact = Fraction(value)
    return arb(fmpq(exact.numerator, exact.denominator))


def total(parts: Sequence[Enclosure], count: int = 1) -> Enclosure:
    """Of `count` times the sum."""
    if not all(math.isfinite(part.upper) for part in parts):
        return UNBOUNDED if any(math.isinf(part.lower) for part in parts) else Enclosure(_sum(parts, count), math.inf)
    highest = enclose_rational(int(count) * sum((Fraction(part.upper) for part in parts), Fraction(0))).upper
    return Enclosure(_sum(parts, count), highest)


def largest(parts: Sequence[Enclosure]) -> Enclosure:
    """Of the largest of them."""
    return Enclosure(max(part.lower for part in parts), max(part.upper for part in parts))


def _sum(parts: Sequence[Enclosure], count: int) -> float:
    return enclose_rational(int(count) * sum((Fraction(part.lower) for part in parts), Fraction(0))).lower


def _outwards(ball: arb) -> Enclosure:
    """The ends of a ball, as floats below and above them, of which none is below 0."""
    if not ball.is_finite():
        return Enclosure(0.0, math.inf)
    lower, upper = ([int(part) for part in end.man_exp()] for end in (ball.lower(), ball.upper()))
    return Enclosure(max(0.0, -_float_above(-lower[0], lower[1])), max(0.0, _float_above(*upper)))


def _float_above(mantissa: int, exponent: int) -> float:
    """The least float that is not below mantissa · 2^exponent."""
    # Of the mantissa as many bits as the float will have: fewer than 53 where it is below 2^-1022.
    spare = max(mantissa.bit_length() - MANTISSA, LEAST_EXPONENT - exponent)
    if spare > 0:
        mantissa, exponent = -(-mantissa >> spare), exponent + spare
    try:
        return math.ldexp(mantissa, exponent)
    except OverflowError:
        return math.inf if mantissa > 0 else -sys.float_info.max
