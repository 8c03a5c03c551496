"""Rows of a frame: pandas, polars, an Arrow table, or whatever else has columns that become lists.

None of them is imported: a frame is asked for its columns' names and for one column at a time.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import add
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpsampling.errors import InputError
from dpsampling.event_logs import typed_text
from dpsampling.event_logs.chunks import CHUNK, Chunk, Source, column, places, whole

_ALIKE = {str, int, bool, type(None)}  # of which equal values are written alike


@dataclass(frozen=True)
class Frame(Source):
    """A table in memory."""

    frame: Any
    name: str = "the frame"

    def chunks(self, wanted: Sequence[str], clocks: Mapping[str, str] = MappingProxyType({})) -> Iterator[Chunk]:
        """Yield all rows as they are."""
        del clocks
        labels = list(labels_of(self.frame))
        at = places(self.name, list(map(str, labels)), wanted, lambda _: f" among its {len(labels)}; name one of them")
        columns = [_values(self.frame[labels[place]], self.name) for place in at]
        size = len(columns[0])
        if any(len(values) != size for values in columns):
            raise InputError(f"the columns of {self.name} have different lengths; make them one table.")
        for begin in range(0, size, CHUNK):
            some = [values[begin : begin + CHUNK] for values in columns]
            texts = [self._texts(title, values) for title, values in zip(wanted, some, strict=True)]
            moments = {
                i: np.array([isinstance(value, datetime.date) for value in values], bool)
                for i, values in enumerate(some)
            }
            yield Chunk(partial(add, begin + 1), *whole(texts), moments)

    def _texts(self, title: str, values: Sequence[Any]) -> NDArray[np.object_]:
        """Return what a CSV file would have in the place of values."""
        known: dict[tuple[type, Any], str] = {}
        found = []
        try:
            for value in values:
                kind = type(value)
                if kind not in _ALIKE:
                    found.append(typed_text.text(value))
                    continue
                text = known.get((kind, value))
                if text is None:
                    text = known[kind, value] = typed_text.text(value)
                found.append(text)
        except TypeError as error:
            raise InputError(
                f"column '{title}' of {self.name} holds a {error}, which is no text, number or time; name another "
                "column, or write it as text."
            ) from None
        return column(found)


def is_frame(source: Any) -> bool:
    """Return whether it has columns with names, each of which can be asked for, and is not still to be collected."""
    if hasattr(source, "collect") or not hasattr(source, "__getitem__"):
        return False
    return hasattr(source, "columns") or hasattr(source, "column_names")


def labels_of(frame: Any) -> Any:
    """The names of its columns; an Arrow table's `columns` are the columns themselves."""
    return frame.column_names if hasattr(frame, "column_names") else frame.columns


def _values(column: Any, name: str) -> Any:
    for method in ("to_pylist", "to_list"):
        if hasattr(column, method):
            return getattr(column, method)()
    raise InputError(f"{name} has columns that become no lists; give a frame of pandas, polars or pyarrow.")
