r"""δ-approximate max divergence of finite laws, exactly (DP review 2019 Definitions 2.18 and 2.19).

    D_∞^δ(P‖Q) = ln R,        R = max {(P(S) − δ)/Q(S) : P(S) ≥ δ}

R is the least t ≥ 0 with P(S) ≤ t Q(S) + δ for all events S, hence the t where Σ (p − t q)₊ falls to δ. There the event
{p > t q} attains the maximum, so that of 2^m events only the m that take outputs in the order of p/q are looked at. No
event with P(S) = δ decides anything but R = 0; where Q(S) = 0 < P(S) − δ, R is infinite. With probabilities and δ as
fractions R is a fraction.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from dpsampling.errors import InputError

Number = Fraction | float
Law = Sequence[Number]

ROUNDING = 1e-6  # what probabilities may add up to besides 1: floats, and tails cut off


def ratio(p: Law, q: Law, delta: Number = 0) -> Number:
    """R: e to the divergence; 0 where no event has more than δ."""
    best: Number = 0
    reached: Number = 0
    other: Number = 0
    for mass, beside in sorted(zip(p, q, strict=True), key=_likelihood_ratio, reverse=True):
        reached, other = reached + mass, other + beside
        if reached > delta:
            if other == 0:
                return math.inf
            best = max(best, (reached - delta) / other)
    return best


def divergence(p: Law, q: Law, delta: Number = 0) -> float:
    """D_∞^δ(P‖Q), between ln(1 − δ) and ∞, of two laws on the same outputs, at 0 ≤ δ ≤ 1."""
    _check(p, q, delta)
    return log(ratio(p, q, delta))


def excess(p: Law, q: Law, t: Number) -> Number:
    """max_S P(S) − t Q(S) = Σ (p − t q)₊: the least δ at the level ln t."""
    return sum((max(mass - t * beside, 0) for mass, beside in zip(p, q, strict=True)), Fraction(0))


def log(value: Number) -> float:
    """ln of a fraction, however large its parts are, and −∞ of 0."""
    if value == 0:
        return -math.inf
    if isinstance(value, Fraction):
        return math.log(value.numerator) - math.log(value.denominator)
    return math.log(value)


def _check(p: Law, q: Law, delta: Number) -> None:
    if len(p) != len(q):
        raise InputError(
            f"p has {len(p)} outputs and q {len(q)}; give both on the same outputs, with 0 where one has none."
        )
    laws: dict[str, Law] = {"p": p, "q": q}
    for name, law in laws.items():
        if not (all(mass >= 0 for mass in law) and abs(math.fsum(law) - 1.0) <= ROUNDING):
            raise InputError(f"{name} is not a law: its probabilities must be 0 or more and add up to 1.")
    if not 0 <= delta <= 1:
        raise InputError(f"delta is {float(delta):g}; it must be from 0 to 1.")


def _likelihood_ratio(output: tuple[Number, Number]) -> Number:
    mass, beside = output
    if beside == 0:
        return math.inf if mass > 0 else 0
    return mass / beside
