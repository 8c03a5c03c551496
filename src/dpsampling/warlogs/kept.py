"""The rows that are kept, alike ones together, and of each unit at most so many of its rows, drawn at random."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpsampling.exact import bits
from dpsampling.warlogs.chunks import CHUNK, Book
from dpsampling.warlogs.interning import Interned, bytes_for
from dpsampling.warlogs.schema import key

Integers = NDArray[np.int64]

NOBODY = -1  # the unit of a row that names none
PENDING = 1 << 20  # rows of units that are held before some are drawn

SURPLUS, NAMELESS = "rows beyond the most", "rows kept without identifier"


class Units:
    """Units as numbers; their identifiers are held while rows are read and kept nowhere."""

    def __init__(self) -> None:
        self._known = Interned()

    def of(self, book: Book, texts: list[int]) -> Integers:
        """The unit of each text."""
        names = [key(book.text(text)).encode("utf-8", "surrogatepass") for text in texts]
        ends = np.cumsum([len(name) for name in names]).astype(np.int32)
        starts = np.concatenate([[0], ends[:-1]]).astype(np.int32)
        data = bytes_for(int(ends[-1]))
        data[: ends[-1]] = np.frombuffer(b"".join(names), np.uint8)
        numbers = self._known.of(data, starts, ends)
        return np.where(ends > starts, numbers, NOBODY).astype(np.int64)


class _Drawn(NamedTuple):
    """Rows of units."""

    unit: Integers
    lot: NDArray[np.uint64]
    kind: NDArray[np.int32]

    def where(self, stay: NDArray[np.bool_]) -> _Drawn:
        return _Drawn(self.unit[stay], self.lot[stay], self.kind[stay])


class Kept:
    """How many rows there are of each kind.

    Each row of a unit draws a lot of 64 bits of the operating system, and the lowest of a unit stay: what stays of one
    unit hangs on no other, so that other rows of one unit move the counts of each feature by 2·most at the most.
    """

    def __init__(self, width: int, most: int | None = None) -> None:
        self._width = width
        self._most = most  # rows of a unit; None where each row is one
        self._kinds = Interned()
        self._times = np.zeros(1 << 10, np.int64)
        self._pending: list[_Drawn] = []
        self._held = self._settled = 0
        self._surplus = self._nameless = 0

    def add(self, rows: NDArray[np.int32], units: Integers | None = None, times: Integers | None = None) -> None:
        """Add rows, (columns, rows): each once, or so many times."""
        kinds = self._kinds_of(np.ascontiguousarray(rows.T))
        if units is None:
            self._count(kinds, times)
            return
        nobody = units == NOBODY
        self._count(kinds[nobody])
        self._nameless += int(nobody.sum())
        named = ~nobody
        lots = np.frombuffer(bits.fresh(8 * int(named.sum())), np.uint64)
        self._pending.append(_Drawn(units[named], lots, kinds[named]))
        self._held += lots.size
        if self._held > max(PENDING, 2 * self._settled):
            self._settle()

    def all(self) -> tuple[NDArray[np.int32], Integers, dict[str, int]]:
        """The kinds in the order of their coming, (columns, kinds), the rows of each, and whom the bound concerned."""
        told: dict[str, int] = {}
        if self._most is not None:
            self._settle()
            for drawn in self._pending:
                self._count(drawn.kind)
            told = {SURPLUS: self._surplus, NAMELESS: self._nameless}
        kinds = self._kinds.strings().view(np.int32).reshape(-1, self._width + self._width % 2)[:, : self._width].T
        times = self._times[: self._kinds.count]
        return np.ascontiguousarray(kinds[:, times > 0]), times[times > 0], told

    def _kinds_of(self, rows: NDArray[np.int32]) -> NDArray[np.int32]:
        found = [np.empty(0, np.int32)]
        size = np.int32(4 * self._width)
        for begin in range(0, len(rows), CHUNK):
            some = rows[begin : begin + CHUNK]
            data = bytes_for(some.nbytes)
            data[: some.nbytes] = some.view(np.uint8).ravel()
            starts = np.arange(len(some), dtype=np.int32) * size
            found.append(self._kinds.of(data, starts, starts + size))
        return np.concatenate(found)

    def _count(self, kinds: NDArray[np.int32], times: Integers | None = None) -> None:
        if self._kinds.count > self._times.size:
            self._times = np.concatenate([self._times, np.zeros(self._kinds.count, np.int64)])
        np.add.at(self._times, kinds, 1 if times is None else times)

    def _settle(self) -> None:
        """Leave of what is held the lowest lots of each unit."""
        if not self._pending or self._most is None:
            return
        held = _Drawn(*map(np.concatenate, zip(*self._pending, strict=True)))
        stay = within(held.unit, held.lot, self._most)
        self._surplus += int(np.sum(~stay))
        self._pending = [held.where(stay)]
        self._held = self._settled = int(np.sum(stay))


def within(units: Integers, lots: NDArray[np.uint64], most: int) -> NDArray[np.bool_]:
    """Which rows stay if each unit keeps at most so many, those with the lowest lots."""
    order = np.lexsort((lots, units))
    begins = np.flatnonzero(np.diff(units[order], prepend=-1))
    rank = np.arange(units.size) - np.repeat(begins, np.diff(begins, append=units.size))
    stay = np.empty(units.size, bool)
    stay[order] = rank < most
    return stay
