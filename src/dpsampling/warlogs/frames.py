"""Rows of a frame: pandas, polars, an Arrow table, or whatever else has columns that become lists.

None of them is imported: a frame is asked for its columns' names and for one column at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from dpsampling.errors import InputError
from dpsampling.warlogs import cells
from dpsampling.warlogs.chunks import CHUNK, Chunk, places


@dataclass(frozen=True)
class Frame:
    """A table in memory."""

    frame: Any
    name: str = "the frame"
    place: str = "row"

    def chunks(self, wanted: Sequence[str]) -> Iterator[Chunk]:
        """All rows."""
        labels = list(labels_of(self.frame))
        at = places(self.name, list(map(str, labels)), wanted, lambda _: f" among its {len(labels)}; name one of them")
        columns = []
        moments = {}
        for column, place in zip(wanted, at, strict=True):
            values = _values(self.frame[labels[place]], self.name)
            try:
                texts, moments[column] = cells.texts(values)
            except TypeError as error:
                raise InputError(
                    f"column '{column}' of {self.name} holds a {error}, which is no text, number or time; name another "
                    "column, or write it as text."
                ) from None
            columns.append(texts)
        size = len(columns[0])
        if any(len(texts) != size for texts in columns):
            raise InputError(f"the columns of {self.name} have different lengths; make them one table.")
        for begin in range(0, size, CHUNK):
            end = min(begin + CHUNK, size)
            fields = [texts[begin:end] for texts in columns]
            timed = {column: which[begin:end] for column, which in moments.items()}
            yield Chunk(range(begin + 1, end + 1), (0,) * (end - begin), fields, timed)


def is_frame(source: Any) -> bool:
    """Whether it has columns with names, each of which can be asked for, and is not still to be collected."""
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
