"""From raw values to the discrete features of the model: spellings folded, the rest to `other`, counts to none or some.

What is done to an entry depends on that entry and on the public schema alone, so that neighbouring logs stay
neighbours: one entry more or less is one row of this table more or less.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpsampling.errors import InputError
from dpsampling.event_logs import described
from dpsampling.event_logs.described import Described
from dpsampling.event_logs.reader import NOTE, Entries, Report, most_frequent, shown
from dpsampling.event_logs.schema import OTHER, Feature, LogSchema, Unit, feature_index

SHOWN = 20  # values of a feature that the report names


@dataclass(frozen=True)
class FeatureTable(Described):
    """Entries as discrete features; a row stands for `times` alike."""

    unit: Unit
    times: NDArray[np.int64]
    region: NDArray[np.int32]
    month: NDArray[np.int32]
    codes: tuple[NDArray[np.int32], ...]  # one array for each feature


def extract(schema: LogSchema, entries: Entries) -> tuple[FeatureTable, Report]:
    """The features of entries that were read by the same schema, and what went to `other`."""
    if (entries.regions, entries.months) != (schema.regions, schema.months):
        raise InputError(f"the entries were read with other regions or months than log {schema.name} has; read again.")
    if entries.unit != schema.unit:
        raise InputError(f"the entries were read with another unit than log {schema.name} has; read again.")
    codes = []
    told: dict[str, Any] = {}
    for feature in schema.features:
        absent = [c for c in feature.columns if c not in entries.values and c not in entries.some]
        if absent:
            raise InputError(f"the entries hold no column '{absent[0]}'; read the log again with the same schema.")
        if feature.kind == "category":
            found, strays = _fold(feature, entries)
        else:
            some = [entries.some[column] for column in feature.columns]
            found, strays = np.max(some, axis=0).astype(np.int32), None
        codes.append(found)
        shares = tallied(found, entries.times, len(feature.outcomes))
        told[feature.name] = {"outcomes": dict(zip(feature.outcomes, shares.tolist(), strict=True))}
        if strays is not None:
            told[feature.name] |= {"to other": strays.total(), "values to other": most_frequent(strays, SHOWN)}
    kept = {name: getattr(entries, name) for name in ("unit", "times", "region", "month")}
    table = FeatureTable(**described.of_schema(schema, entries.origin), **kept, codes=tuple(codes))
    report: Report = {
        "note": f"{NOTE} At most {SHOWN} values that went to `other` are named for each feature.",
        "log": schema.name,
        "rows": int(entries.times.sum()),
        "features": told,
    }
    return table, report


def _fold(feature: Feature, entries: Entries) -> tuple[NDArray[np.int32], Counter[str]]:
    """The outcome of every entry's value, and how often which value was none of the outcomes."""
    (column,) = feature.columns
    vocabulary, raw = entries.values[column]
    places = feature_index(feature.outcomes)
    last = len(feature.outcomes) - 1
    known = dict(places)
    for spelling, outcome in feature.fold.items():
        known[spelling] = last if outcome == OTHER else feature.outcomes.index(outcome)
    table = np.array([known.get(value, last) for value in vocabulary] or [last], np.int32)
    strays = Counter[str]()
    amounts = tallied(raw, entries.times, len(vocabulary))
    for value, amount in zip(vocabulary, amounts.tolist(), strict=True):
        if amount and known.get(value, last) == last:
            strays[shown(value)] += amount
    return table[raw], strays


def tallied(codes: NDArray[Any], times: NDArray[np.int64], below: int) -> NDArray[np.int64]:
    """How many rows have each code."""
    amounts = np.zeros(below, np.int64)
    np.add.at(amounts, codes, times)
    return amounts
