"""Rows as chunks of the wanted columns: what a file or a frame must give to be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dpsampling.errors import InputError
from dpsampling.warlogs.schema import column_key

CHUNK = 1 << 16  # rows of a table that are held at a time


class Chunk(NamedTuple):
    """Some rows."""

    where: Callable[[int], int]  # from a row's place in the chunk to its line in a text, or its row in a table
    surplus: NDArray[np.integer[Any]]  # of fields; 0 if a row is right
    texts: list[NDArray[np.object_]]  # of each wanted column, row by row
    moments: Mapping[int, NDArray[np.bool_]] = MappingProxyType({})  # which texts of a column were typed as moments


class Source(Protocol):
    """Where rows come from."""

    @property
    def name(self) -> str:
        """What sentences call it."""
        ...

    @property
    def place(self) -> str:
        """What `Chunk.where` tells: the line of a text, or the row of a table."""
        ...

    def chunks(self, wanted: Sequence[str]) -> Iterator[Chunk]:
        """Yield all rows with these columns, whatever case and white space their names have there."""
        ...


def column(texts: Sequence[str]) -> NDArray[np.object_]:
    """Return texts as an array of them."""
    found = np.empty(len(texts), object)
    found[:] = texts
    return found


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
