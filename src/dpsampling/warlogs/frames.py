"""Rows of a frame: pandas, polars, an Arrow table, or whatever else has columns that become lists.

None of them is imported: a frame is asked for its columns' names and for one column at a time.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpsampling.errors import InputError
from dpsampling.warlogs import cells
from dpsampling.warlogs.chunks import CHUNK, Chunk, Time, places

_ALIKE = {str, int, bool, type(None)}  # of which equal values are written alike


@dataclass(frozen=True)
class Frame:
    """A table in memory."""

    frame: Any
    name: str = "the frame"
    place: str = "row"

    def chunks(self, wanted: Sequence[str], time: Time | None = None) -> Iterator[Chunk]:
        """All rows, none of them divided."""
        del time
        labels = list(labels_of(self.frame))
        at = places(self.name, list(map(str, labels)), wanted, lambda _: f" among its {len(labels)}; name one of them")
        book = Values()
        columns = []
        for column, place in zip(wanted, at, strict=True):
            values = _values(self.frame[labels[place]], self.name)
            try:
                columns.append(book.numbers(values))
            except TypeError as error:
                raise InputError(
                    f"column '{column}' of {self.name} holds a {error}, which is no text, number or time; name another "
                    "column, or write it as text."
                ) from None
        size = len(columns[0])
        if any(len(numbers) != size for numbers in columns):
            raise InputError(f"the columns of {self.name} have different lengths; make them one table.")
        for begin in range(0, size, CHUNK):
            numbers = np.stack([numbers[begin : begin + CHUNK] for numbers in columns])
            rows = numbers.shape[1]
            yield Chunk(np.arange(begin + 1, begin + 1 + rows), np.zeros(rows, np.int32), numbers, book)


class Values:
    """The book of typed values."""

    def __init__(self) -> None:
        self._texts: dict[tuple[str, bool], int] = {}
        self._told: list[tuple[str, bool]] = []
        self._known: dict[tuple[type, Any], int] = {}

    def numbers(self, values: Iterable[Any]) -> NDArray[np.int32]:
        """The numbers of a column's values; a TypeError for what is not one value a row."""
        return np.fromiter(map(self._number, values), np.int32)

    def text(self, number: int) -> str:
        """What a CSV file would have in its place."""
        return self._told[number][0]

    def is_moment(self, number: int) -> bool:
        """Whether it was one."""
        return self._told[number][1]

    def _number(self, value: Any) -> int:
        kind = type(value)
        if kind not in _ALIKE:
            return self._new(value)
        number = self._known.get((kind, value))
        if number is None:
            number = self._known[kind, value] = self._new(value)
        return number

    def _new(self, value: Any) -> int:
        told = cells.text(value), isinstance(value, datetime.date)
        number = self._texts.setdefault(told, len(self._told))
        if number == len(self._told):
            self._told.append(told)
        return number


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
