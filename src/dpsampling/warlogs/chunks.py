"""Rows as chunks of the wanted columns, whose texts are numbered: what a file or a frame must give to be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dpsampling.errors import InputError
from dpsampling.warlogs.schema import column_key

CHUNK = 1 << 16  # rows that are held at a time


class Book(Protocol):
    """The texts of chunks, by their numbers; numbers only come to it, and of equal texts one may have several."""

    def text(self, number: int) -> str:
        """A text."""
        ...

    def is_moment(self, number: int) -> bool:
        """Whether it was no text, but a moment that is as `cells` writes it."""
        ...


class Chunk(NamedTuple):
    """A block of rows with each text replaced by its number in `book`."""

    standing: NDArray[np.integer]  # where each is: the line of a text, or the row of a table
    surplus: NDArray[np.integer]  # of fields; 0 if a row is right
    texts: NDArray[np.int32]  # (wanted columns, rows): the numbers of the fields in the book
    book: Book
    tails: NDArray[np.int32] | None = None  # of the divided column's texts, whose heads are in `texts`


class Time(NamedTuple):
    """The column with the times."""

    column: str
    divider: str = ""  # before the first of which a text may come divided
    alone: bool = True  # it is wanted for nothing else


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

    def chunks(self, wanted: Sequence[str], time: Time | None = None) -> Iterator[Chunk]:
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
