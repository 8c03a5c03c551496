"""Liars: the smallest lie that the audit catches, by its price or by its draws.

A lie keeps the promise and protects less. Planted in the laws (density and sampler alike) the price must catch it;
planted in the draws alone, behind the honest density, the sequential attack must.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dpsampling.audit import measure as measures
from dpsampling.audit.measure import Found, Measure
from dpsampling.audit.sequential import LOOKS, RISK, Witness
from dpsampling.privacy.exposure import FACTORS, Exposure, Laws, Pair
from dpsampling.privacy.laws import kl

REVERSED = "worst pair reversed"
HOPELESS = 10.0  # lies that need so many times more draws than are made, on average, are not waited for


@dataclass(frozen=True)
class Lie:
    """One lie with what became of it; `factor` is nan for a slip, `draws` +inf where they did not tell.

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
        """Whether either look tells."""
        return bool(self.fault) or self.draws < math.inf


def liars(
    exposure: Exposure, measure: Measure, found: Found, stream: Callable[[str, float], np.random.Generator]
) -> list[Lie]:
    """Every lie of an exposure at every factor, and its slips."""
    told = {(name, factor): make(factor) for name, make in exposure.lies.items() for factor in FACTORS}
    witness = Witness(exposure.laws, list(told.values()), found.pair)
    lies = [
        _looked_at(exposure, measure, witness, found.pair, name, factor, laws, stream(name, factor))
        for (name, factor), laws in told.items()
    ]
    # A slip is in the density alone, and the draws are the honest ones.
    lies += [
        Lie(name, math.nan, *_priced(exposure, measure, make()), math.inf) for name, make in exposure.slips.items()
    ]
    if exposure.named and exposure.named[::-1] in exposure.neighbours:
        lies.extend(_reversed(exposure, measure))
    return lies


def smallest(lies: Sequence[Lie], caught: Callable[[Lie], bool]) -> float:
    """The least factor from which on every lie of every name is caught; +inf if even the largest is missed."""
    missed = [lie.factor for lie in lies if not math.isnan(lie.factor) and not caught(lie)]
    return min((factor for factor in FACTORS if factor > max(missed, default=0.0)), default=math.inf)


def _looked_at(
    exposure: Exposure,
    measure: Measure,
    witness: Witness,
    pair: Pair,
    name: str,
    factor: float,
    laws: Laws,
    rng: np.random.Generator,
) -> Lie:
    information = sum(kl(laws[world], exposure.laws[world]) for world in pair) / 2.0
    hopeless = information * HOPELESS * LOOKS[-1] < -math.log(RISK)
    draws = math.inf if hopeless else witness.detects(laws, pair, rng)
    return Lie(name, factor, *_priced(exposure, measure, laws), draws, information)


def _priced(exposure: Exposure, measure: Measure, laws: Laws) -> tuple[float, str]:
    """The worst price of these laws and their fault, whatever pair is named."""
    found = measures.search(measure, exposure, laws)._replace(named=math.nan)
    return found.price, measures.fault(measure, found, laws)


def _reversed(exposure: Exposure, measure: Measure) -> list[Lie]:
    """The named pair the wrong way round, where that makes a difference."""
    assert exposure.named
    found = measures.search(measure, exposure, exposure.laws)
    q, p = exposure.named
    other = measure.price(exposure.laws[p], exposure.laws[q])
    if not other < found.price * (1.0 - measures.ALIKE):
        return []  # both directions are alike: there is no lie in it
    return [
        Lie(REVERSED, math.nan, other, measures.fault(measure, found._replace(named=other), exposure.laws), math.inf)
    ]
