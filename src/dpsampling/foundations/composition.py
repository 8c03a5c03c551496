r"""k-fold composition: what three claims promise, and the least that any may (DP review 2019 section 2.3).

Of all (ε, δ) mechanisms none is easier to tell apart than one that betrays its input with probability δ and answers by
randomized response otherwise (Kairouz, Oh and Viswanath 2015). With t = e^ε its k-fold composition has

    δ_k(ε') = 1 − (1 − δ)^k + (1 − δ)^k δ°_k(ε'),      δ°_k(ε') = Σ_i C(k, i) (t^{k−i} − e^{ε'} t^i)₊ / (1 + t)^k

for i lies among k answers, whose loss is (k − 2i)ε. The terms above 0 are i ≤ m, so δ° is A_m − e^{ε'} B_m, A_m and B_m
being the probabilities of at most m lies under truth and under its opposite, two incomplete beta functions. Between
the losses of m and m + 1 lies this solves to ε' = ln((A_m − δ°)/B_m).

All numbers are computed in balls and rounded up. The claims are formulas, not promises: the second is false.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import binom

from dpsampling.errors import InputError
from dpsampling.foundations.max_divergence import Law
from dpsampling.numerics.enclosure import as_ball, enclose

if TYPE_CHECKING:
    from flint import arb

Exact = tuple[Fraction, ...]


def basic(count: int, epsilon: float) -> float:
    """ε' of k releases at δ' = 0 (DP review 2019 Proposition 2.28)."""
    return count * epsilon


def root(count: int, epsilon: float, slack: float) -> float:
    """ε' of k releases at δ' (DP review 2019 Claim 2.30, which is false for many k)."""
    _check_slack(slack)
    return math.sqrt(count) * epsilon * math.log(1.0 / slack)


def advanced(count: int, epsilon: float, slack: float) -> float:
    """ε' of k releases at δ' (DP review 2019 Claim 2.31)."""
    _check_slack(slack)
    return math.sqrt(2.0 * count * math.log(1.0 / slack)) * epsilon + count * epsilon * math.expm1(epsilon)


def response(t: Fraction, delta: Fraction = Fraction(0)) -> tuple[Exact, Exact]:
    """Output laws of the pair that is easiest to tell apart: betrayed as one, "one", "other", betrayed as other."""
    truth, lie = (1 - delta) * t / (1 + t), (1 - delta) / (1 + t)
    nothing = Fraction(0)
    return (delta, truth, lie, nothing), (nothing, lie, truth, delta)


def joint(*laws: Law) -> Exact:
    """The law of independent outputs together."""
    together: Exact = (Fraction(1),)
    for law in laws:
        together = tuple(mass * Fraction(more) for mass in together for more in law)
    return together


def adaptive(first: Law, second: Sequence[Law]) -> Exact:
    """The law of an output and of a second one, whose law it chose."""
    return tuple(Fraction(mass) * Fraction(more) for mass, law in zip(first, second, strict=True) for more in law)


def some(deltas: Iterable[Fraction]) -> Fraction:
    """1 − Π(1 − δ_h): the δ of independent parts, together or side by side, below both their sum and 1."""
    return 1 - math.prod((1 - delta for delta in deltas), start=Fraction(1))


def optimal_delta(count: int, epsilon: float, delta: float, level: float) -> float:
    """The least δ' such that every k-fold composition of (ε, δ) mechanisms is (level, δ'), rounded up."""
    _check(count, epsilon, delta)
    if not level >= 0:
        raise InputError(f"level is {level:g}; a privacy level must be 0 or more.")
    lies = math.ceil((count - Fraction(level) / Fraction(epsilon)) / 2) - 1

    def compute() -> arb:
        kept = (1 - as_ball(delta)) ** count
        if lies < 0:
            return 1 - kept
        truth, other = _at_most(lies, count, epsilon)
        return (1 - kept) + kept * (truth - as_ball(level).exp() * other)

    return enclose(compute).upper


def optimal_epsilon(count: int, epsilon: float, delta: float, target: float) -> float:
    """The least ε' such that every k-fold composition of (ε, δ) mechanisms is (ε', target), rounded up."""
    _check(count, epsilon, delta)
    if not 0 <= target < 1:
        raise InputError(f"target is {target:g}; it must be at least 0 and below 1.")
    betrayed = -math.expm1(count * math.log1p(-delta))
    lies, tried = _likely(count, epsilon, max(0.0, (target - betrayed) / (1.0 - betrayed))), set[int]()
    while True:
        tried.add(lies)
        found = enclose(lambda: _level(lies, count, epsilon, delta, target))  # noqa: B023  # evaluated at once
        if math.isinf(found.upper):
            return math.inf
        # The threshold is right where the level lies between the losses on either side of it.
        if found.lower > (count - 2 * lies) * epsilon:
            lies -= 1
        elif found.upper < (count - 2 * lies - 2) * epsilon:
            lies += 1
        else:
            return found.upper
        if lies in tried:
            return found.upper


def _level(lies: int, count: int, epsilon: float, delta: float, target: float) -> arb:
    from flint import arb

    missed = 1 - (1 - as_ball(target)) / (1 - as_ball(delta)) ** count if delta else as_ball(target)
    if missed < 0:
        return arb("inf")
    truth, other = _at_most(lies, count, epsilon)
    return arb(0) if truth < missed else ((truth - missed) / other).log()


def _at_most(lies: int, count: int, epsilon: float) -> tuple[arb, arb]:
    """Probabilities of so many lies or fewer under truth and under its opposite."""
    lie = 1 / (1 + as_ball(epsilon).exp())
    sizes = as_ball(count - lies), as_ball(lies + 1)
    return (1 - lie).beta_lower(*sizes, True), lie.beta_lower(*sizes, True)


def _likely(count: int, epsilon: float, target: float) -> int:
    """The number of lies at which (A_m − δ)/B_m is largest, by floats."""
    if target == 0.0:
        return 0
    lies = np.arange((count + 1) // 2)
    lie = 1.0 / (1.0 + math.exp(epsilon))
    truth, other = binom.cdf(lies, count, lie), binom.cdf(lies, count, 1.0 - lie)
    # Far below its mean the sum is a geometric series from its last term, which logarithms hold.
    quotient = lies / (count - lies + 1.0) * math.exp(-epsilon)
    far = binom.logpmf(lies, count, 1.0 - lie) - np.log1p(-quotient)
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = np.log(truth - target) - np.where(other > 0, np.log(other), far)
    return int(np.argmax(np.where(truth > target, gain, -np.inf)))


def _check_slack(slack: float) -> None:
    if not 0 < slack < 1:
        raise InputError(f"slack is {slack:g}; δ' must be above 0 and below 1.")


def _check(count: int, epsilon: float, delta: float) -> None:
    if not (count >= 1 and float(count).is_integer()):
        raise InputError(f"count is {count:g}; it must be a whole number, 1 or more.")
    if not 0 < epsilon < math.inf:
        raise InputError(f"epsilon is {epsilon:g}; it must be a finite number above 0.")
    if not 0 <= delta < 1:
        raise InputError(f"delta is {delta:g}; it must be at least 0 and below 1.")
