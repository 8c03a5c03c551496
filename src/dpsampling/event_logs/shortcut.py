"""The entries of a simulated log without its file: what `reader.read` finds in what `simulator.put_raw` writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpsampling.errors import InputError
from dpsampling.event_logs.reader import Entries
from dpsampling.event_logs.schema import column_key, key
from dpsampling.event_logs.simulator import SimulatedLog, text_columns


def entries(simulated: SimulatedLog) -> Entries:
    """The entries in the schema's months and regions; a simulated log has no others but those that it drops."""
    schema = simulated.schema
    if schema.unit_column is not None:
        raise InputError(
            f"log {schema.name} is simulated, and invented rows are about no {schema.unit.name}; set unit=row."
        )
    month, in_period = _months(simulated.minute, schema.months)
    places = {key(region): i for i, region in enumerate(schema.regions)}
    region = np.array([places.get(key(name), -1) for name in simulated.regions])[simulated.region]
    kept = in_period & (region >= 0)
    return Entries(
        log=schema.name,
        origin="simulated",
        unit=schema.unit,
        regions=schema.regions,
        months=schema.months,
        times=np.ones(int(kept.sum()), np.int64),
        region=region[kept].astype(np.int32),
        month=month[kept].astype(np.int32),
        values={column: _values(simulated, column, kept) for column in schema.category_columns},
        some={column: _some(simulated, column)[kept] for column in schema.count_columns},
    )


def _months(minute: NDArray[np.int64], months: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The place of each minute's month among these, which are in order, and whether it is one of them."""
    known = np.array(months, "datetime64[M]")
    month = minute.astype("datetime64[m]").astype("datetime64[M]")
    place = np.minimum(np.searchsorted(known, month), known.size - 1)
    return place, known[place] == month


def _values(simulated: SimulatedLog, column: str, kept: NDArray[np.bool_]) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """The values of a column of categories, and which each entry has."""
    schema = simulated.schema
    texts = [i for i, name in enumerate(text_columns(schema)) if column_key(name) == column_key(column)]
    varying = [schema.time_column, schema.region_column, *schema.count_columns]
    if texts:
        words, code = [pair[texts[-1]] for pair in simulated.texts], simulated.text[kept]
    elif column_key(column) in map(column_key, varying):
        raise InputError(f"log {schema.name}: a simulated log has no categories in the column '{column}'.")
    else:
        constants = {column_key(name): value for name, value in simulated.constants.items()}
        words, code = [constants.get(column_key(column), "")], np.zeros(int(kept.sum()), np.int64)
    places: dict[str, int] = {}
    numbers: NDArray[Any] = np.array([places.setdefault(key(word), len(places)) for word in words], np.int32)
    return tuple(places), numbers[code]


def _some(simulated: SimulatedLog, column: str) -> NDArray[np.int32]:
    """Whether there are persons in a column of counts; 0 where its indicators chose another."""
    some = np.zeros(simulated.minute.size, np.int32)
    for i, columns in enumerate(simulated.columns):
        for j, name in enumerate(columns):
            if column_key(name) == column_key(column):
                some[(simulated.column[:, i] == j) & (simulated.persons[:, i] > 0)] = 1
    return some
