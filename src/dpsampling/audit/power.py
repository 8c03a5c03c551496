"""Planted violations: the smallest lie that the audit catches, by its price or by its draws.

A lie keeps the promise and protects less. Planted in the laws (density and sampler alike) the price must catch it;
planted in the draws alone, behind the honest density, the sequential attack must.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dpsampling.audit import measure as measures
from dpsampling.audit.measure import Found, Measure
from dpsampling.audit.sequential import LOOKS, RISK, Witness
from dpsampling.privacy.audit_case import FACTORS, AuditCase, Laws
from dpsampling.privacy.laws import kl

REVERSED = "worst pair reversed"
HOPELESS = 10.0  # lies that need so many times more draws than are made, on average, are not waited for


@dataclass(frozen=True)
class PlantedViolation:
    """A planted lie with what became of it; `factor` is nan for a slip, `draws` +inf where they did not tell.

    `information` is what a draw tells on average, KL(lie‖honest): no test at RISK needs fewer than −ln RISK over it.
    """

    name: str
    factor: float
    priced: float
    fault: str
    draws: float
    information: float = math.nan

    @property
    def caught(self) -> bool:
        """Return whether either look tells."""
        return bool(self.fault) or self.draws < math.inf


def planted(case: AuditCase) -> dict[tuple[str, float], Laws]:
    """The laws of every lie at every factor."""
    return {(name, factor): make(factor) for name, make in case.lies.items() for factor in FACTORS}


def planted_violations(
    case: AuditCase,
    measure: Measure,
    found: Found,
    lies: Mapping[tuple[str, float], Laws],
    witness: Witness,
    stream: Callable[[str, float], np.random.Generator],
) -> list[PlantedViolation]:
    """Return what becomes of every planted lie, and of the slips."""
    told = []
    for (name, factor), laws in lies.items():
        information = sum(kl(laws[world], case.laws[world]) for world in found.pair) / 2.0
        hopeless = information * HOPELESS * LOOKS[-1] < -math.log(RISK)
        draws = math.inf if hopeless else witness.detects(laws, found.pair, stream(name, factor))
        told.append(PlantedViolation(name, factor, *_priced(case, measure, laws), draws, information))
    # A slip is in the density alone, and the draws are the honest ones.
    slips = {name: _priced(case, measure, make()) for name, make in case.slips.items()}
    told += [PlantedViolation(name, math.nan, *priced, math.inf) for name, priced in slips.items()]
    if case.named and case.named[::-1] in case.neighbours:
        told += _reversed(case, measure, found)
    return told


def smallest(lies: Sequence[PlantedViolation], caught: Callable[[PlantedViolation], bool]) -> float:
    """The least factor from which on every lie of every name is caught; +inf if even the largest is missed."""
    missed = [lie.factor for lie in lies if not math.isnan(lie.factor) and not caught(lie)]
    return min((factor for factor in FACTORS if factor > max(missed, default=0.0)), default=math.inf)


def _priced(case: AuditCase, measure: Measure, laws: Laws) -> tuple[float, str]:
    """The worst price of these laws and their fault, whatever pair is named."""
    found = measures.search(measure, case, laws)._replace(named=math.nan)
    return found.price, measures.fault(measure, found, laws)


def _reversed(case: AuditCase, measure: Measure, found: Found) -> list[PlantedViolation]:
    """The named pair the wrong way round, where that makes a difference."""
    assert case.named
    q, p = case.named
    other = measure.price(case.laws[p], case.laws[q])
    if not other < found.price * (1.0 - measures.ALIKE):
        return []  # both directions are alike: there is no lie in it
    return [
        PlantedViolation(
            REVERSED, math.nan, other, measures.fault(measure, found._replace(named=other), case.laws), math.inf
        )
    ]
