"""Rows of a file or of a frame, as the features that their public description names.

A description is the YAML of an event log (`warlogs.schema`), whose time and region a proportion or a table does
without. What the curator is told of rows that are left out goes to stderr, and to a private report if one is asked for:
it is made from the rows and no part of a release.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpsampling import files
from dpsampling.event_logs import features, reader
from dpsampling.event_logs.features import FeatureTable
from dpsampling.event_logs.schema import LogSchema


def read(schema: LogSchema, source: Any, report: Path | None = None) -> FeatureTable:
    """The features of every row that is kept, of a file's path or of a frame."""
    entries, told = reader.read(schema, source)
    table, folded = features.extract(schema, entries)
    if report is not None:
        _keep(report, {"note": reader.NOTE, "read": told, "features": folded})
        sys.stderr.write(f"dpsampling: {report} is {reader.CURATOR}.\n")
    reader.tell(source if isinstance(source, str | Path) else "the frame", told)
    return table


def declared_by(schema: LogSchema) -> list[str]:
    """Who answers for what is public of the rows, and since which day."""
    return [] if schema.public is None else [schema.public.by, schema.public.on.isoformat()]


def joint(table: FeatureTable, axes: Sequence[str]) -> NDArray[np.int64]:
    """How many rows have each combination of outcomes; an axis is a feature, or `region` or `month`."""
    codes: list[NDArray[Any]] = []
    shape: list[int] = []
    own = {"region": (table.region, len(table.regions)), "month": (table.month, len(table.months))}
    for axis in axes:
        if axis in table.features:
            place = table.features.index(axis)
            codes.append(table.codes[place])
            shape.append(len(table.outcomes[place]))
        else:
            codes.append(own[axis][0])
            shape.append(own[axis][1])
    flat = np.ravel_multi_index([c.astype(np.int64) for c in codes], shape)
    return features.tallied(flat, table.times, math.prod(shape)).reshape(shape)


def _keep(report: Path, told: Mapping[str, Any]) -> None:
    """A private report, its owner's alone."""
    with files.atomic_path(report) as partial:
        partial.chmod(0o600)
        partial.write_text(files.json_text(told), encoding="utf-8")
