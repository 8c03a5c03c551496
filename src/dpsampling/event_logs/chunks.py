"""Rows as chunks of the wanted columns: what a file or a frame must give to be read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpsampling.errors import InputError
from dpsampling.event_logs.schema import column_key

CHUNK = 1 << 16  # rows of a table that are held at a time


class Chunk(NamedTuple):
    """A block of rows."""

    where: Callable[[int], int]  # from a row's place in the chunk to its line in a text, or its row in a table
    surplus: NDArray[np.integer[Any]]  # of fields; 0 if a row is right
    texts: list[NDArray[np.object_]]  # of each wanted column, row by row
    times: NDArray[np.int64]  # how many rows each is, all alike in these columns; its place is that of the first
    moments: Mapping[int, NDArray[np.bool_]] = MappingProxyType({})  # which texts of a column were typed as moments


class Source(ABC):
    """Where rows come from."""

    path: Path
    place: str = "row"  # what `Chunk.where` tells: the line of a text, or the row of a table

    @property
    def name(self) -> str:
        """Return what sentences call it."""
        return str(self.path)

    @abstractmethod
    def chunks(self, wanted: Sequence[str], clocks: Mapping[str, str] = MappingProxyType({})) -> Iterator[Chunk]:
        """Yield all rows with these columns, whatever case and white space their names have there.

        Of a column of `clocks` it is enough to tell for each row some time of day that the pattern matches, where one
        stands at the end of the text.
        """


def column(texts: Sequence[str]) -> NDArray[np.object_]:
    """Return texts as an array of them."""
    found = np.empty(len(texts), object)
    found[:] = texts
    return found


def whole(texts: list[NDArray[np.object_]]) -> tuple[NDArray[np.int32], list[NDArray[np.object_]], NDArray[np.int64]]:
    """Return the surplus, the texts and the times of rows that are right, each of which is one."""
    size = texts[0].size
    return np.zeros(size, np.int32), texts, np.ones(size, np.int64)


def places(name: str, header: Sequence[str], wanted: Sequence[str], absent: Callable[[str], str]) -> list[int]:
    """Return where the wanted columns are; `absent` is what helps if there is none."""
    found: dict[str, list[int]] = {}
    for place, title in enumerate(header):
        found.setdefault(column_key(title), []).append(place)
    at = []
    for title in wanted:
        own = found.get(column_key(title), [])
        if len(own) > 1:
            raise InputError(f"{name} has {len(own)} columns '{title}'; keep one of them.")
        if not own:
            raise InputError(f"{name} has no column '{title}'{absent(title)}.")
        at.append(own[0])
    return at
