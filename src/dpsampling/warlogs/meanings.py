"""What numbered texts mean, each one asked once of each book."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from weakref import WeakKeyDictionary

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpsampling.warlogs.chunks import Book

Numbers = NDArray[np.int32]
Means = NDArray[np.int64]

_UNASKED = np.iinfo(np.int64).min


class Meanings:
    """The meanings of texts, which come in the order in which the rows have them first."""

    def __init__(self, of: Callable[[Book, list[int]], Sequence[int] | Means]) -> None:
        self._of = of
        self._known: WeakKeyDictionary[Book, Means] = WeakKeyDictionary()

    @classmethod
    def of_texts(cls, of: Callable[[str], int]) -> Meanings:
        """Of one text at a time."""
        return cls(lambda book, numbers: [of(book.text(number)) for number in numbers])

    def of(self, book: Book, numbers: Numbers) -> Means:
        """The meaning of each row's text."""
        known = self._known.get(book, np.empty(0, np.int64))
        most = int(numbers.max(initial=-1)) + 1
        if most > known.size:
            known = np.concatenate([known, np.full(2 * most - known.size, _UNASKED)])
            self._known[book] = known
        found = np.empty(numbers.size, np.int64)
        if _look_up(known, numbers, found):
            which = list(dict.fromkeys(numbers[found == _UNASKED].tolist()))
            known[which] = self._of(book, which)
            _look_up(known, numbers, found)
        return found


@njit(cache=True, nogil=True)
def _look_up(known: Means, numbers: Numbers, found: Means) -> bool:
    """What is known of numbers, and whether one of them is still to be asked."""
    unasked = False
    for i in range(numbers.size):
        found[i] = known[numbers[i]]
        unasked |= found[i] == _UNASKED
    return unasked
