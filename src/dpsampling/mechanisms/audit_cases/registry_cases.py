"""Any mechanism that can be built for a family, exposed as the figures have it: for whoever adds one.

θ itself with the family's own prior, records and neighbours; its lies are mechanisms built for more ε than is promised.
An entry's own `audit_cases`, on smaller instances, say more; this one stands in until there are some, and wherever a
mechanism serves a family that its own cases do not cover.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from dpsampling.mechanisms.audit_cases.posteriors import FAMILIES
from dpsampling.mechanisms.base import Mechanism
from dpsampling.mechanisms.entry import Entry, Setting
from dpsampling.mechanisms.families.registry import FamilyEntry
from dpsampling.privacy.audit_case import AuditCase, Laws, Pair, both_ways
from dpsampling.privacy.laws import OnLine

HIDDEN = "prior and records of the figures may hide what the mechanism does; an instance of its own would not"


def wanted(entry: Entry, family: FamilyEntry) -> bool:
    """Return whether no other case of this entry is about this family."""
    known = entry.audit_cases is not None and family.name in FAMILIES
    return family.scalar and entry.serves(family.name) and not known


def audit_case(entry: Entry, family: FamilyEntry, order: float, epsilon: float) -> AuditCase:
    """θ of the family's registered setting, for the pair that the mechanism names."""
    assert entry.build is not None
    build, setting = entry.build, Setting(family.family, family.prior, family.records)
    (mechanism,) = build(setting, order, [epsilon])
    pair, statistics = _pair(mechanism, order)

    def lie(factor: float) -> Laws:
        (other,) = build(setting, order, [epsilon * factor])
        return _laws(other, pair, statistics)

    return AuditCase(
        f"{family.name}, n = {family.records}, as in the figures",
        mechanism.guarantee,
        _laws(mechanism, pair, statistics),
        both_ways(pair),
        {"ε": lie} if entry.needs_epsilon else {},
        named=pair,
        loose=HIDDEN,
        unseen=HIDDEN,
    )


def _pair(mechanism: Mechanism, order: float) -> tuple[Pair, tuple[Any, Any]]:
    (p, *_), (q, *_) = mechanism.worst_pair(order)
    return (f"s = {p:g}", f"s = {q:g}"), (p, q)


def _laws(mechanism: Mechanism, pair: Pair, statistics: tuple[Any, Any]) -> Laws:
    low, high = getattr(mechanism, "support", (-math.inf, math.inf))
    return {
        name: OnLine(partial(mechanism.log_density, statistic=s), partial(mechanism.simulate, s), low, high)
        for name, s in zip(pair, statistics, strict=True)
    }
