"""Neighbouring inputs: what every entry may move by, and the pairs on which the published tools looked."""

from __future__ import annotations

from itertools import product

import numpy as np

from dpsampling.numerics.arrays import Array

Pair = tuple[Array, Array]

ONE_DIFFERS, ALL_DIFFER = "one differs", "all differ"


def moves(length: int, relation: str) -> Array:
    """The extreme differences of two neighbours: ±1 in one entry, or ±1 in each, one row a difference."""
    if relation == ONE_DIFFERS:
        return np.vstack([np.eye(length), -np.eye(length)])
    return np.array(list(product((-1.0, 1.0), repeat=length)))


def published_pairs(length: int, relation: str) -> list[Pair]:
    """The input patterns of StatDP, which DP-Sniper took over: around a constant 1, and two halves that cross."""
    half, rest = length // 2, length - length // 2
    others = [[0] + [1] * (length - 1), [2] + [1] * (length - 1)]
    if relation == ONE_DIFFERS:
        return [_pair([1] * length, other) for other in others]
    others += [[2] + [0] * (length - 1), [0] + [2] * (length - 1), [2] * half + [0] * rest, [2] * length, [0] * length]
    crossed = _pair([1] * half + [0] * rest, [0] * half + [1] * rest)
    return [*(_pair([1] * length, other) for other in others), crossed]


def revealed_records(length: int) -> list[Pair]:
    """Queries that repeat the last record and end with the one before it, before and after a record is added.

    Records (…, b, a) are asked as (a, …, a, b), and (…, b, a, a′) as (a′, …, a′, a). Records are at an end or in the
    middle of [0, 1].
    """
    values = (0.0, 0.5, 1.0)
    return [_pair([a] * (length - 1) + [b], [c] * (length - 1) + [a]) for a, b, c in product(values, repeat=3)]


def _pair(first: list[float] | list[int], second: list[float] | list[int]) -> Pair:
    return np.array(first, dtype=float), np.array(second, dtype=float)
