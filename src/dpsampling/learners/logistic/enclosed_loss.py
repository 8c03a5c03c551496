r"""ℓ(t) = ln(1 + e^{−t}) in floats with a bound on its error that rests on nothing but rounded sums and products.

With x = |t|, k the whole number next to x/ln 2 and r = x − k ln 2, |r| < .35,

    y = e^{−x} = 2^{−k} e^{−r},    e^{−r} by its series to r¹³           (what is left out is below 2⁻⁵⁷),
    ln(1 + y) = 2 Σ_m q^{2m+1}/(2m+1),    q = y/(2 + y) ≤ 1/3, to m = 17   (what is left out is below 2⁻⁵⁹)

and ℓ(t) = ln(1 + y) + max(−t, 0). k ≤ 90, as x is cut at 60, beyond which e^{−x} < 2⁻⁸⁶. ln 2 is the sum of two floats
of which the first has 42 bits, so k times it is exact; r then is wrong by 2⁻⁵² at most, the series of 14 terms by 28
rounding units, q by 4 more, the series of 18 terms by 40. All in all less than 80 units of 2⁻⁵³, relative to a value
below .7, and one unit of ℓ for the last sum: |error| ≤ 2⁻⁴⁶ + 2⁻⁵² ℓ(t).
"""

from __future__ import annotations

import math

import numpy as np

from dpsampling.numerics.arrays import Array

ERROR = 2.0**-46
LN2_HIGH = float.fromhex("0x1.62e42fefa3800p-1")
LN2_LOW = float.fromhex("0x1.ef35793c76730p-45")
CUT = 60.0


def loss(t: Array) -> Array:
    """ℓ(t), wrong by at most `ERROR` + 2⁻⁵² ℓ(t)."""
    y = decay(np.abs(t))
    q = y / (2.0 + y)
    square = q * q
    series = np.full_like(q, 1.0 / 35.0)
    for m in range(16, -1, -1):
        series *= square
        series += 1.0 / (2 * m + 1)
    return 2.0 * q * series + np.maximum(-t, 0.0)


def decay(x: Array) -> Array:
    """e^{−x} of x ≥ 0, wrong by at most 2⁻⁴⁸."""
    x = np.minimum(x, CUT)
    k = np.rint(x * (1.0 / (LN2_HIGH + LN2_LOW)))
    r = (x - k * LN2_HIGH) - k * LN2_LOW
    np.negative(r, out=r)
    y = np.full_like(x, 1.0 / math.factorial(13))
    for m in range(12, -1, -1):
        y *= r
        y += 1.0 / math.factorial(m)
    return np.ldexp(y, -k.astype(np.int64))
