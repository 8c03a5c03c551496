r"""ω and κ of Theorem 1 (ii), in balls.

The proof cuts Θ at L = α, 2α, …, and has the bound (C.4), 2ρα/(1 − e^{−αc})², of which the least over α is sought. With
ω = αc its derivative vanishes where 1 − e^{−ω} = 2ωe^{−ω}:

    e^ω = 2ω + 1,      κ = 2ω/(1 − e^{−ω})²,      and the bound is κρ/c at α = ω/c.

f(ω) = e^ω − 2ω − 1 rises from ω = ln 2 on, where it is below 0: it has one root there, which a change of sign encloses.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import brentq

from dpsampling.numerics.enclosure import Enclosure, enclose

if TYPE_CHECKING:
    from flint import arb

NEWTON_STEPS = 40  # from 1.25, of which each doubles the digits; FLINT's precision ends it
SPARE_BITS = 8
STEP = 1e-20  # of a derivative


@cache
def omega() -> Enclosure:
    """The root of e^ω = 2ω + 1 above 0."""
    return enclose(_omega)


@cache
def kappa() -> Enclosure:
    """2ω/(1 − e^{−ω})²."""
    return enclose(_kappa)


def partition_bound(alpha: complex, c: float, distance: float) -> Any:
    """(C.4): 2ρα/(1 − e^{−αc})²."""
    return 2.0 * distance * alpha / np.expm1(-alpha * c) ** 2


def searched(c: float) -> tuple[float, float]:
    """αc and c times the bound (C.4) at ρ = 1, where its slope, by complex steps, is 0."""
    ends = 0.01 / c, 20.0 / c
    alpha = float(brentq(lambda alpha: partition_bound(alpha + STEP * 1j, c, 1.0).imag, *ends, xtol=1e-15 / c))
    return alpha * c, float(partition_bound(alpha, c, 1.0) * c)


def _omega() -> arb:
    from flint import arb, ctx

    root = arb(1.25)
    for _ in range(NEWTON_STEPS):
        power = root.exp()
        root = (root - (power - 2 * root - 1) / (power - 2)).mid()
    width = arb(2) ** (SPARE_BITS - ctx.prec)
    low, high = root - width, root + width
    if not ((low.exp() - 2 * low - 1) < 0 and (high.exp() - 2 * high - 1) > 0):
        return arb(0, 2)  # not certain at this precision
    return low.union(high)


def _kappa() -> arb:
    omega = _omega()
    return 2 * omega / (1 - (-omega).exp()) ** 2
