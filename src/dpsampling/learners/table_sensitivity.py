r"""What one record moves of a small table's counts and shares, by enumeration of all data sets and all neighbours.

Records have m attributes of k levels each and one of two classes. Of every data set X of up to n records, and every
neighbour X′, the statistics are compared, exactly, in units of 1/lcm(1, …, n):

    counts      n_y and c_i(x, y)       of classes and of each attribute's table
    tables      c_i(x, y)
    shares      c_i(x, y)/n_y           P(X_i = x | Y = y), of data sets both of whose classes have records

The largest ‖f(X) − f(X′)‖₁ is what the scale of Laplace or geometric noise is multiplied by ε to be; where only counts
are compared the square of the largest ‖f(X) − f(X′)‖₂ is what Gaussian noise goes by.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import NamedTuple

import numpy as np

from dpsampling.numerics.arrays import Integers
from dpsampling.privacy.guarantee import Relation

Record = tuple[int, ...]  # attributes, then the class
Data = tuple[Record, ...]
Statistic = Callable[[Data, int, int, int], Integers | None]  # of a data set, m, k, and the units in 1


class Moved(NamedTuple):
    """The largest distance of neighbours in L1, the square of the largest in L2, and how many pairs were looked at."""

    l1: Fraction
    l2_squared: Fraction
    pairs: int


def tables(data: Data, attributes: int, levels: int, unit: int) -> Integers:
    """c_i(x, y)."""
    found = np.zeros((attributes, levels, 2), dtype=np.int64)
    for *cells, y in data:
        found[range(attributes), cells, y] += unit
    return found.ravel()


def counts(data: Data, attributes: int, levels: int, unit: int) -> Integers:
    """n_y and c_i(x, y)."""
    return np.concatenate([_sizes(data) * unit, tables(data, attributes, levels, unit)])


def shares(data: Data, attributes: int, levels: int, unit: int) -> Integers | None:
    """c_i(x, y)/n_y, if both classes have records."""
    sizes = _sizes(data)
    if not sizes.all():
        return None
    return np.asarray((tables(data, attributes, levels, unit).reshape(-1, 2) // sizes).ravel())


STATISTICS: dict[str, Statistic] = {"counts": counts, "tables": tables, "shares": shares}


def moved(statistic: Statistic, attributes: int, levels: int, records: int, relation: Relation) -> Moved:
    """Over all data sets of up to so many records."""
    unit = math.lcm(*range(1, records + 1))
    known: dict[Data, Integers | None] = {}
    pairs = []
    for both in _neighbours(attributes, levels, records, relation):
        for data in both:
            if data not in known:
                known[data] = statistic(data, attributes, levels, unit)
        first, second = (known[data] for data in both)
        if first is not None and second is not None:
            pairs.append((first, second))
    gaps = np.abs([a - b for a, b in pairs])
    squares = (gaps**2).sum(axis=1)
    return Moved(Fraction(int(gaps.sum(axis=1).max()), unit), Fraction(int(squares.max()), unit**2), len(pairs))


def _sizes(data: Data) -> Integers:
    return np.bincount([record[-1] for record in data], minlength=2).astype(np.int64)


def _neighbours(attributes: int, levels: int, records: int, relation: Relation) -> Iterator[tuple[Data, Data]]:
    """Data sets, as sorted records, and their neighbours."""
    kinds = [(*x, y) for *x, y in product(*(range(levels),) * attributes, (0, 1))]
    for size in range(1, records + 1):
        for data in combinations_with_replacement(kinds, size):
            for place in range(size):
                rest = data[:place] + data[place + 1 :]
                if relation is Relation.REPLACE_ONE:
                    yield from ((data, tuple(sorted((*rest, kind)))) for kind in kinds if kind != data[place])
                else:
                    yield data, rest
