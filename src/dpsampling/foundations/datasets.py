r"""Data sets as counts of each kind of sample, and how far a function of them may move (DP review 2019 sections 1, 2).

    d₁(X, X') = Σ |n_i − n'_i|        κ(x) = max_{x'} |f(x) − f(x')| / d(x, x')        κ = max κ(x)

All in whole numbers and fractions.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction
from itertools import product
from typing import TypeVar

Point = TypeVar("Point", bound=Hashable)
Counts = tuple[int, ...]


def counted(samples: Iterable[int], kinds: int) -> Counts:
    """The data set of these samples, numbered from 0."""
    listed = list(samples)
    return tuple(listed.count(kind) for kind in range(kinds))


def difference(x: Sequence[int], y: Sequence[int]) -> Counts:
    """|n_i − n'_i|, kind by kind."""
    return tuple(abs(a - b) for a, b in zip(x, y, strict=True))


def distance(x: Sequence[int], y: Sequence[int]) -> int:
    """d₁."""
    return sum(difference(x, y))


def data_sets(kinds: int, most: int) -> list[Counts]:
    """All with at most so many samples of each kind."""
    return list(product(range(most + 1), repeat=kinds))


def slopes(
    points: Sequence[Point],
    apart: Callable[[Point, Point], int | Fraction],
    moved: Callable[[Point, Point], int | Fraction],
) -> dict[Point, Fraction]:
    """κ(x) of every point."""
    return {x: max(Fraction(moved(x, y), apart(x, y)) for y in points if apart(x, y)) for x in points}
