r"""The convexity gap of ln Γ between two neighbours, in balls (see `enclosure`), and where it is infinite.

Shapes x and x + r of two laws and k = λ − 1, all rational, enter a Rényi divergence by (see `convex_gap`)

    P at the lower one    V(x) = [ln Γ(x − kr) − ln Γ(x)]/k + ln Γ(x + r) − ln Γ(x)
    P at the upper one    U(x) = [ln Γ(x + r + kr) − ln Γ(x + r)]/k − ln Γ(x + r) + ln Γ(x).

V is +∞ from x = kr on: a comparison of rational numbers, so that next to a pole nothing depends on rounding. What
cancels in these differences is paid for by more bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from dpsampling.numerics.enclosure import UNBOUNDED, Enclosure, as_ball, enclose

if TYPE_CHECKING:
    from flint import arb


class Pair(NamedTuple):
    """The least shapes x that P and Q have in the two categories that a record moves between.

    P has its record in the category of `holds`, Q in that of `lacks`: there P is at the lower one.
    """

    holds: Fraction
    lacks: Fraction


def worst_level(pairs: Sequence[Pair], step: Fraction, k: Fraction) -> Enclosure:
    """The largest U(holds) + V(lacks) of several pairs of neighbours."""
    if any(pair.lacks <= k * step for pair in pairs):
        return UNBOUNDED

    def level() -> arb:
        known: dict[Fraction, arb] = {}

        def log_gamma(x: Fraction) -> arb:
            if x not in known:
                known[x] = as_ball(x).lgamma()
            return known[x]

        def lower(x: Fraction) -> arb:
            return (log_gamma(x - k * step) - log_gamma(x)) / as_ball(k) + log_gamma(x + step) - log_gamma(x)

        def upper(x: Fraction) -> arb:
            ahead = log_gamma(x + step + k * step) - log_gamma(x + step)
            return ahead / as_ball(k) - log_gamma(x + step) + log_gamma(x)

        values = [upper(pair.holds) + lower(pair.lacks) for pair in pairs]
        result = values[0]
        for value in values[1:]:
            result = result.max(value)
        return result

    return enclose(level)
