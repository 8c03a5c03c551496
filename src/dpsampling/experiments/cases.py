"""Of many cases of a statement, the one that a table keeps: what is nearest to breaking it.

Gaps that rounding alone makes are ties, of which the first case is kept, on every machine the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

NOTHING = 1e-12  # what rounding leaves of a number that is 0
DIGITS = 9  # of gaps that are told apart


def furthest(left: ArrayLike, right: ArrayLike) -> int:
    """The case of left = right with the largest difference."""
    with np.errstate(invalid="ignore"):
        gaps = np.abs(np.asarray(left, dtype=float) - np.asarray(right, dtype=float))
    return _first(np.where(np.asarray(left) == np.asarray(right), 0.0, gaps))


def nearest(left: ArrayLike, right: ArrayLike) -> int:
    """The case of left ≤ right with the largest share of the bound; an infinite bound has room for everything, and of
    bounds that are 0 all that is above them counts.
    """
    below, above = np.asarray(left, dtype=float), np.asarray(right, dtype=float)
    bounded = (above > 0) & np.isfinite(above)
    shares = np.divide(below, above, out=np.where(above > 0, 0.0, below / NOTHING), where=bounded)
    return _first(np.where(below < NOTHING, 0.0, shares))


def _first(gaps: Array) -> int:
    return int(np.argmax(np.round(gaps, DIGITS)))
