r"""Real functions on a finite metric space, by enumeration in exact fractions (DP review 2019 Definitions 2.7 and 2.9).

    κ(x) = max_{x′} |f(x) − f(x′)| / d(x, x′)            the Lipschitz constant at x, over all other points
    κ    = max_x κ(x)
    LS(x) = max |f(x) − f(x′)| over d(x, x′) = 1          the local sensitivity, over neighbours alone

κ(x) never differs by more than a factor of 3 between neighbours: see docs/foundations.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeVar

from dpsampling.errors import InputError
from dpsampling.foundations.datasets import slopes
from dpsampling.privacy.guarantee import Relation

Point = TypeVar("Point")
Pair = tuple[int, int]
DataSet = tuple[Fraction, ...]


@dataclass(frozen=True)
class FiniteFunction:
    """f(x) = `values`[x] on points 0 … m − 1 that are `distances`[x][x′] apart; neighbours are at distance 1."""

    values: tuple[Fraction, ...]
    distances: tuple[tuple[Fraction, ...], ...]
    relation: Relation = Relation.ADD_OR_REMOVE_ONE

    def __post_init__(self) -> None:
        if len(self.values) < 2:
            raise InputError(f"values has {len(self.values)} number; a function that can leak has two points or more.")
        if any(self.distances[x][y] <= 0 for x, y in self.pairs):
            raise InputError("distances has a 0 between different points; give every point once.")
        if any(self.distances[x][y] != self.distances[y][x] for x, y in self.pairs):
            raise InputError("distances are not the same both ways; a metric is symmetric.")
        if not self.neighbours:
            raise InputError("distances has no 1; neighbours are at distance 1, so measure in units of it.")

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """Ordered pairs of different points."""
        points = range(len(self.values))
        return tuple((x, y) for x in points for y in points if x != y)

    @cached_property
    def neighbours(self) -> tuple[Pair, ...]:
        """Ordered pairs at distance 1."""
        return tuple((x, y) for x, y in self.pairs if self.distances[x][y] == 1)

    @cached_property
    def local_lipschitz(self) -> tuple[Fraction, ...]:
        """κ(x) of each point."""
        found = slopes(range(len(self.values)), lambda x, y: self.distances[x][y], self.change)
        return tuple(found.values())

    @property
    def lipschitz(self) -> Fraction:
        """κ."""
        return max(self.local_lipschitz)

    @cached_property
    def local_sensitivity(self) -> tuple[Fraction, ...]:
        """LS(x) of each point."""
        largest = [Fraction(0)] * len(self.values)
        for x, y in self.neighbours:
            largest[x] = max(largest[x], self.change(x, y))
        return tuple(largest)

    @property
    def sensitivity(self) -> Fraction:
        """The global one."""
        return max(self.local_sensitivity)

    def change(self, x: int, y: int) -> Fraction:
        """|f(x) − f(y)|."""
        return abs(self.values[x] - self.values[y])


def on_a_line(values: Sequence[Fraction | float]) -> FiniteFunction:
    """On {0, 1, …} with |x − x′|, as in Example 2.11: so many copies of one record."""
    points = range(len(values))
    return FiniteFunction(
        tuple(Fraction(value) for value in values), tuple(tuple(Fraction(abs(x - y)) for y in points) for x in points)
    )


EXAMPLE_2_11 = (0, 1, 2, 5)
