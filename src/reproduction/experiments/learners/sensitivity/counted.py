r"""Small data sets, all of them: what one record moves of tables, counts and centres, in fractions.

**Naive Bayes.** Two classes and m attributes of two levels. P(x_j = v|y) is a quotient of counts, 0 in a class without
records. **k-means.** A block's result are its k centres, those of the partition with the least loss, in their order;
with fewer different records than k the last one stands for those that are missing. Other blocks stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cache, partial
from itertools import combinations_with_replacement, product
from typing import NamedTuple, TypeVar

Numbers = tuple[Fraction, ...]
Record = TypeVar("Record")
Data = tuple[Record, ...]

MOST_RECORDS = 3
GRID = (Fraction(-1), Fraction(0), Fraction(1))


class Counted(NamedTuple):
    """The largest distance, and of how many pairs."""

    found: float
    pairs: int


def tables(attributes: int, *, replaced: bool) -> Counted:
    """Return the largest L1 of all P(x_j|y)."""
    records = list(product((0, 1), repeat=1 + attributes))
    return _largest(_neighbours(records, replaced=replaced), partial(_tables, attributes=attributes))


def counts(attributes: int, *, replaced: bool) -> Counted:
    """Return the largest L1 of all class counts and attribute counts."""
    records = list(product((0, 1), repeat=1 + attributes))
    return _largest(_neighbours(records, replaced=replaced), partial(_counts, attributes=attributes))


def centres(dimension: int, clusters: int, blocks: int) -> Counted:
    """Return the largest L1 of the mean over blocks, whatever a record does to its block."""
    records = list(product(GRID, repeat=dimension))
    pairs = [*_neighbours(records, replaced=True), *_neighbours(records, replaced=False)]
    found, tried = _largest(((x, y) for x, y in pairs if x and y), partial(_centres, clusters=clusters))
    return Counted(found / blocks, tried)


def _neighbours(records: list[Record], *, replaced: bool) -> Iterator[tuple[Data[Record], Data[Record]]]:
    for size in range(MOST_RECORDS):
        for shared, record in product(combinations_with_replacement(records, size), records):
            if replaced:
                yield from (((*shared, record), (*shared, other)) for other in records if other != record)
            else:
                yield shared, (*shared, record)


def _largest(pairs: Iterable[tuple[Data[Record], Data[Record]]], numbers: Callable[[Data[Record]], Numbers]) -> Counted:
    known, found, tried = cache(numbers), Fraction(0), 0
    for first, second in pairs:
        moved = sum((abs(a - b) for a, b in zip(known(first), known(second), strict=True)), Fraction(0))
        found, tried = max(found, moved), tried + 1
    return Counted(float(found), tried)


def _counts(data: Data[tuple[int, ...]], attributes: int) -> Numbers:
    classes = [Fraction(sum(record[0] == y for record in data)) for y in (0, 1)]
    cells = [
        Fraction(sum(record[0] == y and record[1 + j] == v for record in data))
        for y, j, v in product((0, 1), range(attributes), (0, 1))
    ]
    return (*classes, *cells)


def _tables(data: Data[tuple[int, ...]], attributes: int) -> Numbers:
    zeros, ones, *cells = _counts(data, attributes)
    sizes = (max(zeros, Fraction(1)), max(ones, Fraction(1)))
    return tuple(cell / sizes[place // (2 * attributes)] for place, cell in enumerate(cells))


def _centres(data: Data[Numbers], clusters: int) -> Numbers:
    different = sorted(set(data))
    groups = min(clusters, len(different))
    best = min(
        (assigned for assigned in product(range(groups), repeat=len(data)) if len(set(assigned)) == groups),
        key=lambda assigned: (_loss(data, assigned, groups), assigned),
    )
    means = sorted(_means(data, best, groups))
    means += [means[-1]] * (clusters - groups)
    return tuple(x for mean in means for x in mean)


def _means(data: Data[Numbers], assigned: tuple[int, ...], groups: int) -> list[Numbers]:
    members = [[x for x, group in zip(data, assigned, strict=True) if group == g] for g in range(groups)]
    return [tuple(sum(column, Fraction(0)) / len(mine) for column in zip(*mine, strict=True)) for mine in members]


def _loss(data: Data[Numbers], assigned: tuple[int, ...], groups: int) -> Fraction:
    means = _means(data, assigned, groups)
    pairs = ((x, means[g]) for x, g in zip(data, assigned, strict=True))
    return sum(((a - b) ** 2 for x, mean in pairs for a, b in zip(x, mean, strict=True)), Fraction(0))
