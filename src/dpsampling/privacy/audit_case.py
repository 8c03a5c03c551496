"""A mechanism where it is as exposed as its guarantee allows, and violations that the audit must tell from it.

A case is the smallest faithful instance: few records, a weak prior, the noisy number itself and not what is made
of it. It names every data set that is looked at with its output law, which are neighbours, and what is promised. A lie
is the same promise with laws that protect less: by a factor, of noise, temperature, scale …, or by another slip.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dpsampling.privacy.guarantee import Guarantee
from dpsampling.privacy.laws import Law

Laws = Mapping[str, Law]
Pair = tuple[str, str]

FACTORS = (1.05, 1.1, 1.3, 2.0)  # by how much a lie is off


@dataclass(frozen=True, eq=False)
class AuditCase:
    """One instance of a mechanism.

    `named` is the pair that the mechanism itself calls its worst at this order, where it does. `lies` take a factor
    above 1, `slips` none. `loose` says in words why less than 95% of the promise is spent, where that is so, and
    `unseen` why no look at laws or draws could tell a lie of 2×.
    """

    what: str
    guarantee: Guarantee
    laws: Laws
    neighbours: tuple[Pair, ...]
    lies: Mapping[str, Callable[[float], Laws]]
    slips: Mapping[str, Callable[[], Laws]] = field(default_factory=dict)
    named: Pair | None = None
    loose: str = ""
    unseen: str = ""


def both_ways(*pairs: Pair) -> tuple[Pair, ...]:
    """Each pair and its reverse."""
    return tuple(pair for one in pairs for pair in (one, one[::-1]))


def all_pairs(names: Mapping[str, object]) -> tuple[Pair, ...]:
    """Every ordered pair of different data sets: where each is a single record, all are neighbours."""
    return tuple((a, b) for a in names for b in names if a != b)


def with_less_noise(
    what: str, guarantee: Guarantee, laws: Callable[..., Laws], neighbours: tuple[Pair, ...] = (), **words: Any
) -> AuditCase:
    """Return a case with the mechanism's own draws, and noise that is too small by a factor where it lies.

    Without `neighbours`, all data sets are.
    """
    honest = laws(1.0, own=True)
    return AuditCase(what, guarantee, honest, neighbours or all_pairs(honest), {"noise": laws}, **words)
