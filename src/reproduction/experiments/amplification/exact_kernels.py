"""Small kernels of fractions that tell the mixing conditions apart, and their coefficients without rounding."""

from __future__ import annotations

from fractions import Fraction

from dpsampling.amplification.names import DOBRUSHIN, DOEBLIN, LEVEL_DOBRUSHIN, ULTRA_MIXING

Rows = tuple[tuple[Fraction, ...], ...]

_HALF, _QUARTER, _0, _1 = Fraction(1, 2), Fraction(1, 4), Fraction(0), Fraction(1)
# Randomized response with e^ε = 3: no two rows differ at its level.
RESPONSE: Rows = ((3 * _QUARTER, _QUARTER), (_QUARTER, 3 * _QUARTER))
HALF_KNOWN: Rows = ((_1, _0), (_HALF, _HALF))
# No output that all inputs share, so γ = 1 of Doeblin; any two of them share a half.
TRIANGLE: Rows = ((_HALF, _HALF, _0), (_0, _HALF, _HALF), (_HALF, _0, _HALF))


def exact_coefficients(rows: Rows, ratio: Fraction | int) -> dict[str, Fraction]:
    """The four coefficients of a kernel of fractions, by their definitions; `ratio` is e^ε."""
    outputs = range(len(rows[0]))

    def stick(factor: Fraction | int) -> Fraction:
        return max(sum((max(_0, a[y] - factor * b[y]) for y in outputs), _0) for a in rows for b in rows)

    shared = sum((min(row[y] for row in rows) for y in outputs), _0)
    least = min(a[y] / b[y] for a in rows for b in rows for y in outputs if b[y])
    return {DOBRUSHIN: stick(_1), LEVEL_DOBRUSHIN: stick(ratio), DOEBLIN: 1 - shared, ULTRA_MIXING: 1 - least}
