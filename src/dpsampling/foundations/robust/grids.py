"""Every law on a few outcomes whose probabilities are multiples of 1/N, as whole numbers that sum to N."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from dpsampling.numerics.arrays import Integers


def laws(outcomes: int, resolution: int) -> Integers:
    """A row each: the compositions of N, by where its bars stand among the stars."""
    spots = range(resolution + outcomes - 1)
    rows = []
    for bars in combinations(spots, outcomes - 1):
        ends = np.array([-1, *bars, resolution + outcomes - 1])
        rows.append(np.diff(ends) - 1)
    return np.array(rows, dtype=np.int64)


def positive_laws(outcomes: int, resolution: int) -> Integers:
    """Those with no empty outcome, one for each way to order their probabilities."""
    found = np.unique(np.sort(laws(outcomes, resolution), axis=1), axis=0)
    return found[np.all(found > 0, axis=1)]


def partitions(outcomes: int) -> Iterator[tuple[int, ...]]:
    """Every partition of the outcomes into blocks: the block of each, blocks numbered as they appear."""

    def extended(begun: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(begun) == outcomes:
            yield begun
            return
        for block in range(max(begun, default=-1) + 2):
            yield from extended((*begun, block))

    yield from extended(())
