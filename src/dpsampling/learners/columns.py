r"""The public columns of a table of private rows, and the codes of its cells.

A number with public bounds [a, b] falls into one of k bins of equal width, min(⌊k(v − a)/(b − a)⌋, k − 1) of v clipped
to its bounds; a category with levels l₀ … l_{k−1} is the place of its level. So column j of m has codes 0 … k_j − 1,
and all columns together K = Σ k_j places, those of column j from k₀ + … + k_{j−1} on. Bounds, levels and the number of
bins are declared: what a cell becomes hangs on no row but its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpsampling.datasets.recipe import Category, Number
from dpsampling.errors import InputError
from dpsampling.learners import rows
from dpsampling.numerics.arrays import Array

Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Columns:
    """What is public of a table's columns; `bins` is for every number."""

    described: tuple[Number | Category, ...]
    bins: int

    def __post_init__(self) -> None:
        if not self.described:
            raise InputError("there are no columns; declare one or more, with bounds or levels.")
        if not (self.bins >= 1 and float(self.bins).is_integer()):
            raise InputError(f"bins is {self.bins:g}; numbers need a whole number of bins, 1 or more.")
        for column in self.described:
            if isinstance(column, Number) and column.shape is not None:
                raise InputError(f"column {column.name} is of images; declare a number or a category for each column.")
            if isinstance(column, Number) and not 0 < column.high - column.low < math.inf:
                raise InputError(
                    f"column {column.name} is from {column.low:g} to {column.high:g}; give two finite public bounds, "
                    "the lower one first."
                )
            if isinstance(column, Category) and not column.levels:
                raise InputError(f"column {column.name} has no levels; declare the public ones.")

    @property
    def count(self) -> int:
        """The number of columns, m."""
        return len(self.described)

    @cached_property
    def numeric(self) -> tuple[bool, ...]:
        """Which columns are numbers."""
        return tuple(isinstance(column, Number) for column in self.described)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """k_j, the number of codes of each column."""
        return tuple(self.bins if isinstance(c, Number) else len(c.levels) for c in self.described)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The first place of each column."""
        return tuple(int(start) for start in np.cumsum((0, *self.sizes[:-1])))

    @property
    def places(self) -> int:
        """K, of all columns together."""
        return sum(self.sizes)

    def cells(self, values: ArrayLike) -> Array:
        """Rows of cells, numbers within their bounds; a cell that is no level's place is refused."""
        cells = rows.matrix("cells", values, self.count).copy()
        for column, cell in zip(self.described, cells.T, strict=True):
            if isinstance(column, Number):
                np.clip(cell, column.low, column.high, out=cell)
            elif not np.isin(cell, np.arange(len(column.levels))).all():
                last = len(column.levels) - 1
                raise InputError(f"column {column.name} holds something else than 0 … {last}; code its levels so.")
        return cells

    def codes(self, values: ArrayLike) -> Codes:
        """The code of each cell."""
        cells = self.cells(values)
        for column, cell in zip(self.described, cells.T, strict=True):
            if isinstance(column, Number):
                share = (cell - column.low) / (column.high - column.low)
                cell[:] = np.minimum(np.floor(share * self.bins), self.bins - 1)
        return cells.astype(np.intp)

    def placed(self, values: ArrayLike) -> Codes:
        """The place of each cell among those of all columns."""
        return self.codes(values) + np.array(self.starts)
