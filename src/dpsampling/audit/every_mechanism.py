r"""Every mechanism, where it is as exposed as its guarantee allows: priced, attacked, and its planted violations.

    price       what the worst of all neighbouring pairs spends, from the densities, by sum or quadrature (`measure`)
    attack      the ε that draws of that pair prove, with confidence (`attacks`)
    draws       whether the sampler draws from the laws that were priced, judged sequentially (`sequential`)
    violations  the smallest planted violation that price and draws catch (`power`)

Tightness is price over promise. An audit that says `holds` is worth what its violations say: a promise that is spent to
98% is broken by a lie of 5%, one of which half is left over is not by any below 2×.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from dpsampling.audit import measure as measures
from dpsampling.audit.attacks import RISK, attack
from dpsampling.audit.measure import Found, Measure
from dpsampling.audit.power import PlantedViolation, planted, planted_violations, smallest
from dpsampling.audit.registry import ENTRIES
from dpsampling.audit.sequential import Witness
from dpsampling.errors import InputError, did_you_mean
from dpsampling.mechanisms.audit_cases import registry_cases
from dpsampling.mechanisms.entry import Entry
from dpsampling.mechanisms.families.registry import FAMILIES
from dpsampling.numerics.randomness import stream
from dpsampling.privacy.accounting import to_approximate
from dpsampling.privacy.audit_case import AuditCase
from dpsampling.privacy.guarantee import Approximate, Renyi
from dpsampling.privacy.laws import epsilon_at

COLUMNS = (
    "mechanism", "source", "instance", "epsilon", "order", "measure", "promised", "priced", "tightness", "pairs",
    "worst_pair", "named_pair", "delta", "epsilon_converted", "epsilon_exact", "epsilon_attacked", "attack_tightness",
    "risk", "smallest_lie_caught", "by_price", "by_draws", "draws_to_2x", "why_not_tight", "why_attack_short",
    "why_unseen", "verdict",
)  # fmt: skip
VIOLATION_COLUMNS = (
    "mechanism", "instance", "epsilon", "order", "lie", "factor", "promised", "priced", "fault", "draws",
    "draws_at_least", "caught",
)  # fmt: skip
TIGHT = 0.95
EVERY = "all"
HOLDS, BROKEN, NOTHING, UNPRICED = "holds", "broken", "nothing promised", "attacked only"


class Point(NamedTuple):
    """One row: a mechanism's instance at the level it was asked for; the order of guarantees without one is ∞."""

    entry: Entry
    case: AuditCase
    epsilon: float
    order: float


def tables(
    seed: int,
    *,
    orders: Iterable[float],
    epsilons: Iterable[float],
    delta: float,
    draws: int,
    mechanisms: Sequence[str] | str = EVERY,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the audit, a row a point, and its planted violations, a row each.

    Args:
        seed: that of all draws.
        orders: finite Rényi orders above 1 that mechanisms are calibrated at.
        epsilons: levels above 0 that mechanisms are calibrated for.
        delta: δ from 0 on and below 1, at which all but (ε, δ) guarantees are converted and attacked.
        draws: how many draws of each law an attack has, 1 or more.
        mechanisms: names of the registry, in a list; any text is all of them.
    """
    rows, lies = [], []
    entries = chosen(mechanisms)
    for point in points(list(orders), list(epsilons), entries):
        row, told = audited(seed, point, delta, draws)
        rows.append(row)
        lies.extend(told)
    seen = {row[0] for row in rows}
    rows += [_without_promise(entry) for entry in entries if entry.name not in seen]
    table = pd.DataFrame(rows, columns=list(COLUMNS)).astype({"pairs": "Int64"})
    return table, pd.DataFrame(lies, columns=list(VIOLATION_COLUMNS))


def chosen(mechanisms: Sequence[str] | str) -> Sequence[Entry]:
    """The entries of these names, in their own order, or all of them."""
    if isinstance(mechanisms, str):
        return ENTRIES
    names = [entry.name for entry in ENTRIES]
    for name in mechanisms:
        if name not in names:
            raise InputError(f"audit.mechanisms names '{name}', which is no mechanism{did_you_mean(name, names)}.")
    return [entry for entry in ENTRIES if entry.name in mechanisms]


def points(orders: list[float], epsilons: list[float], entries: Sequence[Entry] = ENTRIES) -> Iterator[Point]:
    """Yield every case of every entry; those that do not depend on the order, or on ε, once."""
    for entry in entries:
        for epsilon in epsilons if entry.needs_epsilon else epsilons[:1]:
            asked = epsilon if entry.needs_epsilon else math.nan
            for order in orders:
                for case in audit_cases(entry, order, epsilon):
                    if isinstance(case.guarantee, Renyi):
                        yield Point(entry, case, asked, order)
                    elif order == orders[0]:
                        yield Point(entry, case, asked, math.inf)


def audit_cases(entry: Entry, order: float, epsilon: float) -> list[AuditCase]:
    """An entry's own instances, and one for each family that they do not cover."""
    own = [] if entry.audit_cases is None else list(entry.audit_cases(order, epsilon))
    others = [family for family in FAMILIES.values() if registry_cases.wanted(entry, family)]
    return [*own, *(registry_cases.audit_case(entry, family, order, epsilon) for family in others)]


def audited(seed: int, point: Point, delta: float, draws: int) -> tuple[tuple[object, ...], list[tuple[object, ...]]]:
    """Return one row and those of its planted violations."""
    entry, case, epsilon, order = point
    name = (entry.name, case.what, str(epsilon), order)
    measure = measures.for_guarantee(case.guarantee, order)
    found = measures.search(measure, case, case.laws)
    honest = [case.laws[world] for world in found.pair]
    if isinstance(case.guarantee, Approximate):
        delta, converted = case.guarantee.delta, case.guarantee.epsilon
    else:
        converted = to_approximate(case.guarantee, delta).epsilon
    exact = epsilon_at(honest[0], honest[1], delta)
    attacked = attack(honest[0], honest[1], delta, draws, stream(seed, "audit", "attack", *name))
    lies = planted(case)
    witness = Witness(case.laws, list(lies.values()), found.pair)
    told = planted_violations(
        case, measure, found, lies, witness, lambda *lie: stream(seed, "audit", "lie", *name, *lie)
    )
    drawn = witness.detects(case.laws, found.pair, stream(seed, "audit", "honest", *name))
    by_price, by_draws = smallest(told, lambda lie: bool(lie.fault)), smallest(told, lambda lie: lie.draws < math.inf)
    caught = smallest(told, lambda lie: lie.caught)
    tightness = found.price / measure.promised if measure.promised > 0 else math.nan
    row = (
        entry.name,
        entry.source,
        case.what,
        epsilon,
        order,
        measure.name,
        measure.promised,
        found.price,
        tightness,
        len(case.neighbours),
        " → ".join(found.pair),
        _named(case, found),
        delta,
        converted,
        exact,
        attacked,
        attacked / converted if converted > 0 else math.nan,
        RISK,
        caught,
        by_price,
        by_draws,
        max((lie.draws for lie in told if lie.factor == 2.0), default=math.nan),
        "" if tightness >= TIGHT else case.loose,
        _short(attacked, exact, converted, draws),
        case.unseen if math.isinf(by_price) else "",
        verdict(measure, found, case, converted, attacked, drawn),
    )
    return row, [_violation(point, measure, lie) for lie in told]


def verdict(measure: Measure, found: Found, case: AuditCase, converted: float, attacked: float, drawn: float) -> str:
    """`holds`, or what was found."""
    fault = measures.fault(measure, found, case.laws)
    if fault:
        return f"{BROKEN}: {fault}"
    if attacked > converted:  # what is promised of every event
        return f"{BROKEN}: attacked"
    if drawn < math.inf:
        return f"{BROKEN}: its draws are not from its law"
    if math.isinf(measure.promised):
        return NOTHING
    return UNPRICED if math.isnan(found.price) else HOLDS


def _named(case: AuditCase, found: Found) -> str:
    if case.named is None:
        return ""
    return "is the worst" if found.named >= found.price * (1.0 - measures.ALIKE) else "is not the worst"


def _short(attacked: float, exact: float, converted: float, draws: int) -> str:
    """Why less than 95% of the converted ε was proved by draws, with the shares that were lost."""
    if attacked >= TIGHT * converted or not converted < math.inf:
        return ""
    lost = []
    if exact < TIGHT * converted:
        lost.append(f"the conversion has {1.0 - exact / converted:.0%} more than the laws")
    if attacked < TIGHT * exact:
        lost.append(f"{draws:g} draws prove {attacked / exact:.0%} of what the laws have")
    return "; ".join(lost)


def _violation(point: Point, measure: Measure, lie: PlantedViolation) -> tuple[object, ...]:
    return (
        point.entry.name,
        point.case.what,
        point.epsilon,
        point.order,
        lie.name,
        lie.factor,
        measure.promised,
        lie.priced,
        lie.fault,
        lie.draws,
        -math.log(RISK) / lie.information if lie.information > 0 else math.inf,
        "yes" if lie.caught else "no",
    )


def _without_promise(entry: Entry) -> tuple[object, ...]:
    """A row for what promises nothing."""
    known = {
        "mechanism": entry.name,
        "source": entry.source,
        "verdict": NOTHING,
        "why_not_tight": "it promises nothing",
    }
    return tuple(known.get(column, np.nan if column not in TEXT else "") for column in COLUMNS)


TEXT = ("instance", "measure", "worst_pair", "named_pair", "why_not_tight", "why_attack_short", "why_unseen")
