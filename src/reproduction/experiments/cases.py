"""Of many cases of a statement, the one that a table keeps: what is nearest to breaking it.

Gaps that rounding alone makes are ties, of which the first case is kept, on every machine the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.numerics.ties import first_of_largest

NOTHING = 1e-12  # what rounding leaves of a number that is 0


def furthest(left: ArrayLike, right: ArrayLike) -> int:
    """The case of left = right with the largest difference."""
    with np.errstate(invalid="ignore"):
        gaps = np.abs(np.asarray(left, dtype=float) - np.asarray(right, dtype=float))
    return int(first_of_largest(np.where(np.asarray(left) == np.asarray(right), 0.0, gaps)))


def nearest(left: ArrayLike, right: ArrayLike) -> int:
    """The case of left ≤ right with the largest share of the bound, less what rounding may have made of it; an infinite
    bound has room for everything, and of bounds that are 0 all that is above them counts.
    """
    below, above = np.asarray(left, dtype=float) - NOTHING, np.asarray(right, dtype=float)
    bounded = (above > 0) & np.isfinite(above)
    shares = np.divide(below, above, out=np.where(above > 0, 0.0, below / NOTHING), where=bounded)
    return int(first_of_largest(np.where(below < 0.0, 0.0, shares)))


def worst(sides: Sequence[tuple[float, float]], *, equality: bool = False) -> tuple[float, float, int]:
    """Return left and right of the case that a table keeps of left ≤ right, or left = right, and the count of cases."""
    left, right = np.array(sides, dtype=float).T
    i = furthest(left, right) if equality else nearest(left, right)
    return float(left[i]), float(right[i]), len(sides)
