"""Numbers for byte strings, compiled: equal strings have equal numbers, from 0 on in the order in which they come.

A table of open addresses over one arena of words of eight bytes. Of at most eight bytes, length and hash together are
the string, for

    h(w) = (w ⊕ s ⊕ c₁·length) · c₂,   c₂ odd,   then h ⊕ ⌊h/2³²⌋

is one to one in the word w; longer ones are compared. The seed s is secret, so that nobody can write a file whose
strings collide.
"""

from __future__ import annotations

import secrets
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Places = NDArray[np.int32]
Words = NDArray[np.uint64]


def bytes_for(size: int) -> Bytes:
    """Room for so many bytes, and for the words in which the last of them are."""
    return np.empty(size // 8 + 2, np.uint64).view(np.uint8)


class Interned:
    """Strings and their numbers."""

    def __init__(self) -> None:
        self.count = 0
        self._seed = np.uint64(secrets.randbits(64))
        self._short = np.full(257, -1, np.int32)  # the numbers of single bytes, and of none
        self._slots = np.full(1 << 12, -1, np.int32)
        self._hashes = np.empty(self._slots.size // 2, np.uint64)
        self._sizes = np.empty(self._hashes.size, np.int32)
        self._begins = np.zeros(self._hashes.size + 1, np.int64)
        self._arena = np.empty(1 << 13, np.uint64)

    @property
    def words(self) -> int:
        """The words of all strings."""
        return int(self._begins[self.count])

    def of(self, data: Bytes, starts: Places, stops: Places) -> Places:
        """The numbers of data[start:stop], where `data` is as `bytes_for` makes it."""
        numbers = np.empty(starts.size, np.int32)
        done = 0
        while True:
            done, self.count = _numbers(
                data.view(np.uint64), starts, stops, done, self._seed, self._short, self._slots, self._hashes,
                self._sizes, self._begins, self._arena, self.count, numbers,
            )  # fmt: skip
            if done == starts.size:
                return numbers
            self._make_room(int(stops[done] - starts[done]) // 8 + 1)

    def string(self, number: int) -> bytes:
        """The string of a number."""
        begin = self._begins[number]
        return self._arena[begin : self._begins[number + 1]].tobytes()[: self._sizes[number]]

    def strings(self) -> Words:
        """All strings one after the other, each filled up to whole words."""
        return self._arena[: self.words]

    def _make_room(self, more: int) -> None:
        if self.words + more > self._arena.size:
            self._arena = np.concatenate([self.strings(), np.empty(self.words + more, np.uint64)])
        if self.count == self._hashes.size:
            self._hashes = np.concatenate([self._hashes, np.empty_like(self._hashes)])
            self._sizes = np.concatenate([self._sizes, np.empty_like(self._sizes)])
            self._begins = np.concatenate([self._begins, np.empty(self.count, np.int64)])
            self._slots = np.full(2 * self._slots.size, -1, np.int32)
            _place(self._hashes, self.count, self._slots)


@njit(cache=True, nogil=True, inline="always")
def _word(data: Words, at: Any, size: Any) -> Any:
    """Up to eight bytes from any byte on."""
    shift = np.uint64(8 * (at & 7))
    both = (data[at >> 3] >> shift) | ((data[(at >> 3) + 1] << np.uint64(1)) << (np.uint64(63) - shift))
    return both if size >= 8 else both & ((np.uint64(1) << np.uint64(8 * size)) - np.uint64(1))


@njit(cache=True, nogil=True, inline="always")
def _mixed(hashed: np.uint64, word: np.uint64) -> np.uint64:
    hashed = (hashed ^ word) * np.uint64(0x9E3779B97F4A7C15)
    return hashed ^ (hashed >> np.uint64(32))


@njit(cache=True, nogil=True)
def _numbers(
    data: Words,
    starts: Places,
    stops: Places,
    done: int,
    seed: np.uint64,
    short: Places,
    slots: Places,
    hashes: Words,
    sizes: Places,
    begins: NDArray[np.int64],
    arena: Words,
    count: int,
    numbers: Places,
) -> tuple[int, int]:
    """Numbers from `done` on, until there is no room for a new string; how many strings have one, and how many are."""
    mask = slots.size - 1
    for i in range(done, starts.size):
        start, size = np.int64(starts[i]), np.int64(stops[i] - starts[i])
        byte = np.int64(256)
        if size < 2:
            if size:
                byte = np.int64(_word(data, start, 1))
            if short[byte] >= 0:
                numbers[i] = short[byte]
                continue
        hashed = seed ^ (np.uint64(size) * np.uint64(0xD6E8FEB86659FD93))
        words = (size + 7) >> 3
        for k in range(words):
            hashed = _mixed(hashed, _word(data, start + 8 * k, size - 8 * k))
        slot = np.int64(hashed) & mask
        while True:
            number = slots[slot]
            if number < 0:
                if count == hashes.size or begins[count] + words > arena.size:
                    return i, count
                number = count
                slots[slot] = number
                hashes[number] = hashed
                sizes[number] = size
                for k in range(words):
                    arena[begins[number] + k] = _word(data, start + 8 * k, size - 8 * k)
                count += 1
                begins[count] = begins[number] + words
                break
            if hashes[number] == hashed and sizes[number] == size:
                same = 0
                if size > 8:
                    while same < words and arena[begins[number] + same] == _word(
                        data, start + 8 * same, size - 8 * same
                    ):
                        same += 1
                if size <= 8 or same == words:
                    break
            slot = (slot + 1) & mask
        numbers[i] = number
        if size < 2:
            short[byte] = number
    return starts.size, count


@njit(cache=True)
def _place(hashes: Words, count: int, slots: Places) -> None:
    """Strings that are known to differ, into empty slots."""
    mask = slots.size - 1
    for number in range(count):
        slot = np.int64(hashes[number]) & mask
        while slots[slot] >= 0:
            slot = (slot + 1) & mask
        slots[slot] = number
