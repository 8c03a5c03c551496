r"""The absolute log-ratio d(a, b) = |ln a/b|, d(0, 0) = 0 (Robust 2014 (2.7)), through its exact exponential.

e^{d(a, b)} = max(a/b, b/a)             a rational number, or ∞ where one of them is 0 and the other is not
d(a, c) ≤ d(a, b) + d(b, c)             is the same as e^{d(a, c)} ≤ e^{d(a, b)} e^{d(b, c)}
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

INFINITE = None
Ratio = Fraction | None


def ratio(a: Fraction, b: Fraction) -> Ratio:
    """e^{d(a, b)}."""
    if a == b:
        return Fraction(1)
    return max(a / b, b / a) if a and b else INFINITE


def rationals(resolution: int) -> list[Fraction]:
    """0 and every quotient of two numbers up to this one."""
    numbers = range(1, resolution + 1)
    return sorted({Fraction(0), *(Fraction(a, b) for a, b in product(numbers, repeat=2))})


def broken_axioms(values: Sequence[Fraction]) -> tuple[int, int]:
    """Triples that break symmetry, d = 0 only between equals, or the triangle inequality; and all of them."""
    e_d = {(a, b): ratio(a, b) for a, b in product(values, repeat=2)}
    broken = sum(
        e_d[a, b] != e_d[b, a] or (e_d[a, b] == 1) != (a == b) or not _within(e_d[a, c], e_d[a, b], e_d[b, c])
        for a, b, c in product(values, repeat=3)
    )
    return broken, len(values) ** 3


def infinite_pairs(values: Sequence[Fraction]) -> tuple[int, int]:
    """Pairs without a finite distance; and all of them."""
    return sum(ratio(a, b) is INFINITE for a, b in product(values, repeat=2)), len(values) ** 2


def _within(whole: Ratio, first: Ratio, second: Ratio) -> bool:
    if first is INFINITE or second is INFINITE:
        return True
    return whole is not INFINITE and whole <= first * second
