"""Rows as chunks of the wanted columns, all of them text: what a file or a frame must give to be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dpsampling.errors import InputError
from dpsampling.warlogs.schema import column_key

CHUNK = 50_000  # rows that are held at a time
CHUNK_LIMIT = 16 << 20  # characters of them


class Chunk(NamedTuple):
    """Some rows: where each stands, its surplus of fields (0 if right), and the wanted fields by column."""

    standing: Sequence[int]
    surplus: Sequence[int]
    fields: Sequence[Sequence[str]]
    moments: Mapping[str, NDArray[np.bool_]] = MappingProxyType({})  # which were no text and are as `cells` writes them


class Source(Protocol):
    """Where rows come from."""

    @property
    def name(self) -> str:
        """What sentences call it."""
        ...

    @property
    def place(self) -> str:
        """What `Chunk.standing` counts: the line of a text, or the row of a table."""
        ...

    def chunks(self, wanted: Sequence[str]) -> Iterator[Chunk]:
        """All rows with these columns, whatever case and white space their names have there."""
        ...


def places(name: str, header: Sequence[str], wanted: Sequence[str], absent: Callable[[str], str]) -> list[int]:
    """Where the wanted columns are; `absent` is what helps if there is none."""
    found: dict[str, list[int]] = {}
    for place, column in enumerate(header):
        found.setdefault(column_key(column), []).append(place)
    at = []
    for column in wanted:
        own = found.get(column_key(column), [])
        if len(own) > 1:
            raise InputError(f"{name} has {len(own)} columns '{column}'; keep one of them.")
        if not own:
            raise InputError(f"{name} has no column '{column}'{absent(column)}.")
        at.append(own[0])
    return at
