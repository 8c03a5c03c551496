"""Exact counts of a log as a table, feature by feature: region, month, feature, outcome, entries.

A row is a count above 0; a count without a row is 0. Only marginals n_{r,t,d,j} are in it: no row of the log, and of no
two features which of their outcomes came together. Exact counts protect nobody all the same: one entry more or less
is seen in them. So it is for logs whose rows are public, as `published` of a log's schema names it.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from dpsampling.errors import InputError, did_you_mean
from dpsampling.event_logs.schema import LogSchema
from dpsampling.files import strict_csv
from dpsampling.numerics.arrays import Integers

if TYPE_CHECKING:
    from dpsampling.event_logs.counts import EventCounts

COLUMNS = ("region", "month", "feature", "outcome", "entries")
REMEDY = "make it again with 'dpsampling warlogs count … --table'"
_WHOLE = re.compile(r"[1-9]\d{0,11}", re.ASCII)


def frame(counts: EventCounts) -> pd.DataFrame:
    """The counts above 0, by region, month, feature and outcome in the schema's order."""
    named = [(f, o) for f, outcomes in zip(counts.features, counts.outcomes, strict=True) for o in outcomes]
    rows = [
        (counts.regions[r], counts.months[t], *named[j], int(counts.counts[r, t, j]))
        for r, t, j in np.argwhere(counts.counts)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def read(schema: LogSchema, path: Path) -> Integers:
    """The counts of a log of this schema that `frame` made such a table of, or an InputError."""
    if schema.unit_column is not None:
        raise InputError(
            f"log {schema.name} keeps {schema.unit.most} rows of each {schema.unit.name}, which {path} does not tell "
            "apart; name its rows with file, or set unit=row."
        )
    offsets = np.concatenate([[0], np.cumsum([len(feature.outcomes) for feature in schema.features])])
    found = np.zeros((len(schema.regions), len(schema.months), int(offsets[-1])), np.int64)
    for line, row in _rows(path):
        r = _place(row.region, schema.regions, f"{path}, line {line}: region", schema)
        t = _place(row.month, schema.months, f"{path}, line {line}: month", schema)
        names = tuple(feature.name for feature in schema.features)
        d = _place(row.feature, names, f"{path}, line {line}: feature", schema)
        j = _place(row.outcome, schema.features[d].outcomes, f"{path}, line {line}: outcome of {row.feature}", schema)
        if not _WHOLE.fullmatch(row.entries):
            raise InputError(f"{path}, line {line}: entries is no whole number above 0 of a dozen digits; {REMEDY}.")
        if found[r, t, offsets[d] + j]:
            raise InputError(f"{path}, line {line}: this count stands there twice; {REMEDY}.")
        found[r, t, offsets[d] + j] = int(row.entries)
    _check_sums(schema, path, np.add.reduceat(found, offsets[:-1], axis=2))
    return found


class _Row(NamedTuple):
    region: str
    month: str
    feature: str
    outcome: str
    entries: str


def _rows(path: Path) -> Iterator[tuple[int, _Row]]:
    """The table's rows below its header, with their lines."""
    text = strict_csv.read(path, REMEDY)
    rows = strict_csv.rows(io.StringIO(text, newline=""), str(path), REMEDY)
    _, header = next(rows)
    if tuple(header) != COLUMNS:
        raise InputError(f"{path} has other columns than {', '.join(COLUMNS)}; {REMEDY}.")
    for line, row in rows:
        yield line, _Row(*row)


def _place(name: str, known: tuple[str, ...], what: str, schema: LogSchema) -> int:
    if name not in known:
        raise InputError(
            f"{what} is '{name}', which log {schema.name} does not have{did_you_mean(name, known)}; change the schema "
            "so that it has what was counted, or set its key published to nothing."
        )
    return known.index(name)


def _check_sums(schema: LogSchema, path: Path, sums: Integers) -> None:
    """Check that all features count the same entries of every cell, and that there are some."""
    if not sums.any():
        raise InputError(f"{path} has no count; {REMEDY}.")
    wrong = np.argwhere(sums != sums[..., :1])
    if wrong.size:
        r, t, d = wrong[0]
        raise InputError(
            f"{path} counts {sums[r, t, d]} entries of {schema.regions[r]} in {schema.months[t]} by "
            f"{schema.features[d].name} and {sums[r, t, 0]} by {schema.features[0].name}; {REMEDY}."
        )
