"""Numbers for byte strings, compiled: equal strings have equal numbers, from 0 on in the order in which they come.

A table of open addresses over one arena. Of at most eight bytes, length and hash together are the string, for

    h(w) = (w ⊕ s ⊕ c₁·length) · c₂,   c₂ odd,   then h ⊕ ⌊h/2³²⌋

is one to one in the word w; longer ones are compared byte by byte. The seed s is secret, so that nobody can write a
file whose strings collide.
"""

from __future__ import annotations

import secrets

import numpy as np
from numba import njit
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Places = NDArray[np.int32]


class Interned:
    """Strings and their numbers."""

    def __init__(self) -> None:
        self.count = 0
        self._seed = np.uint64(secrets.randbits(64))
        self._slots = np.full(1 << 12, -1, np.int32)
        self._hashes = np.empty(self._slots.size // 2, np.uint64)
        self._ends = np.zeros(self._hashes.size + 1, np.int64)
        self._arena = np.empty(1 << 16, np.uint8)

    @property
    def size(self) -> int:
        """The bytes of all strings."""
        return int(self._ends[self.count])

    def of(self, data: Bytes, starts: Places, stops: Places) -> Places:
        """The numbers of data[start:stop]."""
        numbers = np.empty(starts.size, np.int32)
        done = 0
        while True:
            done, self.count = _numbers(
                data, starts, stops, done, self._seed, self._slots, self._hashes, self._ends, self._arena, self.count,
                numbers,
            )  # fmt: skip
            if done == starts.size:
                return numbers
            self._make_room(int(stops[done] - starts[done]))

    def string(self, number: int) -> bytes:
        """The string of a number."""
        return self._arena[self._ends[number] : self._ends[number + 1]].tobytes()

    def strings(self) -> Bytes:
        """All strings, one after the other."""
        return self._arena[: self.size]

    def _make_room(self, more: int) -> None:
        if self.size + more > self._arena.size:
            self._arena = np.concatenate([self.strings(), np.empty(self.size + more, np.uint8)])
        if self.count == self._hashes.size:
            self._hashes = np.concatenate([self._hashes, np.empty_like(self._hashes)])
            self._ends = np.concatenate([self._ends, np.empty(self.count, np.int64)])
            self._slots = np.full(2 * self._slots.size, -1, np.int32)
            _place(self._hashes, self.count, self._slots)


@njit(cache=True, nogil=True, inline="always")
def _word(data: Bytes, at: int, size: int) -> np.uint64:
    """Up to eight bytes as one number."""
    word = np.uint64(0)
    for i in range(size):
        word |= np.uint64(data[at + i]) << np.uint64(8 * i)
    return word


@njit(cache=True, nogil=True, inline="always")
def _mixed(hashed: np.uint64, word: np.uint64) -> np.uint64:
    hashed = (hashed ^ word) * np.uint64(0x9E3779B97F4A7C15)
    return hashed ^ (hashed >> np.uint64(32))


@njit(cache=True, nogil=True)
def _numbers(
    data: Bytes,
    starts: Places,
    stops: Places,
    done: int,
    seed: np.uint64,
    slots: Places,
    hashes: NDArray[np.uint64],
    ends: NDArray[np.int64],
    arena: Bytes,
    count: int,
    numbers: Places,
) -> tuple[int, int]:
    """Numbers from `done` on, until there is no room for a new string; how many strings have one, and how many are."""
    mask = slots.size - 1
    for i in range(done, starts.size):
        start, size = starts[i], stops[i] - starts[i]
        hashed = seed ^ (np.uint64(size) * np.uint64(0xD6E8FEB86659FD93))
        at = 0
        while at + 8 <= size:
            hashed = _mixed(hashed, _word(data, start + at, 8))
            at += 8
        if at < size or size == 0:
            hashed = _mixed(hashed, _word(data, start + at, size - at))
        slot = np.int64(hashed) & mask
        while True:
            number = slots[slot]
            if number < 0:
                if count == hashes.size or ends[count] + size > arena.size:
                    return i, count
                number = count
                slots[slot] = number
                hashes[number] = hashed
                arena[ends[number] : ends[number] + size] = data[start : start + size]
                count += 1
                ends[count] = ends[number] + size
                break
            if hashes[number] == hashed and ends[number + 1] - ends[number] == size:
                same = 0
                if size > 8:
                    while same < size and arena[ends[number] + same] == data[start + same]:
                        same += 1
                if size <= 8 or same == size:
                    break
            slot = (slot + 1) & mask
        numbers[i] = number
    return starts.size, count


@njit(cache=True)
def _place(hashes: NDArray[np.uint64], count: int, slots: Places) -> None:
    """Strings that are known to differ, into empty slots."""
    mask = slots.size - 1
    for number in range(count):
        slot = np.int64(hashes[number]) & mask
        while slots[slot] >= 0:
            slot = (slot + 1) & mask
        slots[slot] = number
