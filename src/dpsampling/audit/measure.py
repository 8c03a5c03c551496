r"""What a guarantee bounds, and what a pair of laws spends of it.

    Pure, profile-based    ε       against    D_∞(P‖Q)
    Rényi                  ε(λ)    against    R_λ(P‖Q)
    approximate            δ       against    δ(ε) = ∫ (p − e^ε q)₊

Each right-hand side is an integral or a supremum over the laws themselves (`privacy.laws`), which knows none of the
closed forms that guarantees rest on.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from dpsampling.privacy import laws
from dpsampling.privacy.audit_case import AuditCase, Laws, Pair
from dpsampling.privacy.guarantee import Approximate, Guarantee, Renyi
from dpsampling.privacy.laws import Law

ROUNDING = 1e-9  # relative error of a price (see the tests)
MASS = 1e-8  # by how much a density's integral may be off 1
ALIKE = 1e-8  # two pairs are equally bad


@dataclass(frozen=True)
class Measure:
    """One number of a guarantee: its name, what is promised, the price of a pair, and its rounding beside 0."""

    name: str
    promised: float
    price: Callable[[Law, Law], float]
    rounding: float = 1e-12


class Found(NamedTuple):
    """The worst of all neighbouring pairs, its price, and that of the pair the mechanism names.

    nan is a price that rounding hides; for the named pair also that there is none.
    """

    pair: Pair
    price: float
    named: float


def for_guarantee(guarantee: Guarantee, order: float) -> Measure:
    """The number of this guarantee at this order."""
    if isinstance(guarantee, Renyi):
        return Measure("Rényi", guarantee.epsilon(order), lambda p, q: laws.renyi(p, q, order))
    if isinstance(guarantee, Approximate):
        return Measure("δ at ε", guarantee.delta, lambda p, q: laws.delta(p, q, guarantee.epsilon), 0.0)
    return Measure("ε", guarantee.epsilon, laws.max_divergence)


def search(measure: Measure, case: AuditCase, of_laws: Laws) -> Found:
    """Every pair of neighbours, in either direction; of equally bad ones the named, or else the first."""
    prices = {(p, q): measure.price(of_laws[p], of_laws[q]) for p, q in case.neighbours}
    named = prices.get(case.named, math.nan) if case.named else math.nan
    certain = [price for price in prices.values() if not math.isnan(price)]
    top = max(certain, default=-math.inf)
    if len(certain) < len(prices) and top <= _limit(measure):  # what is hidden may be the worst
        return Found(next(pair for pair, price in prices.items() if math.isnan(price)), math.nan, named)
    if named >= top * (1.0 - ALIKE) and case.named:
        return Found(case.named, top, named)
    return Found(next(pair for pair, price in prices.items() if price >= top * (1.0 - ALIKE)), top, named)


def _limit(measure: Measure) -> float:
    """Return what a price may be: the promise, and its rounding."""
    return measure.promised * (1.0 + ROUNDING) + measure.rounding


def fault(measure: Measure, found: Found, of_laws: Laws) -> str:
    """Return what is wrong with these laws in words, or nothing."""
    if not all(abs(law.mass - 1.0) <= MASS for law in of_laws.values()):
        return "not a density"
    if found.price > _limit(measure):
        return "price above the promise"
    if found.named < found.price * (1.0 - ALIKE):
        return "a worse pair than the named one"
    return ""
