"""The rows that are kept, alike ones together, and of each unit at most so many of its rows, drawn at random."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpsampling.event_logs.schema import key
from dpsampling.numerics.arrays import Booleans, Integers
from dpsampling.numerics.exact import bits

Rows = NDArray[np.int32]  # (columns, rows), none of them below 0

NOBODY = -1  # the unit of a row that names none
PENDING = 1 << 20  # rows that are held before alike ones are put together, or some of a unit drawn

SURPLUS, NAMELESS = "rows beyond the most", "rows kept without identifier"


class Units:
    """Units as numbers; their identifiers are held while rows are read and kept nowhere."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def of(self, text: str) -> int:
        """Return the unit that a text names."""
        name = key(text)
        return self._known.setdefault(name, len(self._known)) if name else NOBODY


class _Held(NamedTuple):
    """Rows that are held: those of units with a lot each, all others with how many they stand for."""

    rows: Rows
    times: Integers
    units: Integers
    lots: NDArray[np.uint64]


class Kept:
    """How many rows there are of each kind.

    Each row of a unit draws a lot of 64 bits of the operating system, and the lowest of a unit stay: what stays of one
    unit hangs on no other, so that other rows of one unit move the counts of each feature by 2·most at the most.
    """

    def __init__(self, width: int, most: int | None = None) -> None:
        self._most = most  # rows of a unit; None where each row is one
        none = np.empty(0, np.int64)
        self._pending = [_Held(np.empty((width, 0), np.int32), none, none, none.astype(np.uint64))]
        self._held = self._settled = 0
        self._surplus = self._nameless = 0

    def add(self, rows: Rows, units: Integers | None = None, times: Integers | None = None) -> None:
        """Add rows: each once, or so many times."""
        size = rows.shape[1]
        times = np.ones(size, np.int64) if times is None else times
        lots = np.zeros(size if units is not None else 0, np.uint64)
        if units is not None:
            named = units != NOBODY
            lots[named] = np.frombuffer(bits.fresh(8 * int(named.sum())), np.uint64)
            self._nameless += size - int(named.sum())
        self._pending.append(_Held(rows, times, np.empty(0, np.int64) if units is None else units, lots))
        self._held += size
        if self._held > max(PENDING, 2 * self._settled):
            self._settle()

    def all(self) -> tuple[Rows, Integers, dict[str, int]]:
        """Return the kinds in the order of their coming, the rows of each, and whom the bound concerned."""
        self._settle()
        (held,) = self._pending
        if self._most is None:
            return held.rows, held.times, {}
        return *alike(held.rows, held.times), {SURPLUS: self._surplus, NAMELESS: self._nameless}

    def _settle(self) -> None:
        """Put alike rows together; or leave of what is held the lowest lots of each unit."""
        rows, times, units, lots = (np.concatenate(part, axis=-1) for part in zip(*self._pending, strict=True))
        if self._most is None:
            rows, times = alike(rows, times)
        else:
            stay = (units == NOBODY) | within(units, lots, self._most)
            self._surplus += int(np.sum(~stay))
            rows, times, units, lots = rows[:, stay], times[stay], units[stay], lots[stay]
        self._pending = [_Held(rows, times, units, lots)]
        self._held = self._settled = rows.shape[1]


def alike(rows: Rows, times: Integers) -> tuple[Rows, Integers]:
    """Return each kind of rows once, in the order of their coming, and how many there are of it."""
    number = np.zeros(rows.shape[1], np.int64)
    for column in rows:
        number = pd.factorize(number * (int(column.max(initial=0)) + 1) + column)[0].astype(np.int64)
    first = np.flatnonzero(np.diff(np.maximum.accumulate(number), prepend=-1))
    amounts = np.zeros(first.size, np.int64)
    np.add.at(amounts, number, times)
    return np.ascontiguousarray(rows[:, first]), amounts


def within(units: Integers, lots: NDArray[np.uint64], most: int) -> Booleans:
    """Return which rows stay if each unit keeps at most so many, those with the lowest lots."""
    order = np.lexsort((lots, units))
    begins = np.flatnonzero(np.diff(units[order], prepend=units[order][:1] - 1))
    rank = np.arange(units.size) - np.repeat(begins, np.diff(begins, append=units.size))
    stay = np.empty(units.size, bool)
    stay[order] = rank < most
    return stay
