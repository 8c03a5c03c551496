r"""Private rows within their public bounds, and sums of them that are exact.

A row longer than c is shrunk to it, by as much as makes its exact norm certainly no longer (`datasets.design` has the
argument). A number is rounded **towards zero** to a multiple of 2⁻ᵇ, b = GRID, on its way into a sum: what is bounded
stays bounded, and a sum of up to 2^{53−b} of size 1 is the exact one whatever the order, so that a neighbour's sum
differs by that neighbour's own term and by no rounding.
"""

from __future__ import annotations

import math
import sys

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.errors import InputError
from dpsampling.numerics.arrays import Array, Indices

GRID = 26  # bits behind the point: 2²⁷ numbers of size 1 have an exact sum
UNIT = 2.0**-53
FARTHEST = 1e150  # bounds: what is beyond counts as that


def matrix(name: str, values: ArrayLike, columns: int | None = None) -> Array:
    """Rows of finite numbers, as many in a row as there are columns."""
    try:
        rows = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} are no rows of numbers, all as long; code what is none.") from None
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise InputError(f"{name} has shape {rows.shape}; give a row an example, of one number or more.")
    if columns is not None and rows.shape[1] != columns:
        raise InputError(f"{name} has {rows.shape[1]} columns; there are {columns} features.")
    if not np.isfinite(rows).all():
        raise InputError(f"{name} holds something that is no finite number; drop or fill such entries.")
    return rows


def labels(values: ArrayLike, n: int, classes: int = 2) -> Indices:
    """Whole numbers 0 … classes − 1, one a row."""
    found = np.asarray(values)
    if found.shape != (n,):
        raise InputError(f"labels have shape {found.shape}; give one for each of the {n} rows.")
    if not np.isin(found, np.arange(classes)).all():
        raise InputError(f"labels hold something else than 0 … {classes - 1}; code the {classes} public classes so.")
    return found.astype(np.intp)


def within(rows: Array, bound: float) -> Array:
    """Rows, those longer than the public bound shrunk to it; none is longer in exact arithmetic."""
    if not 0 < bound < math.inf:
        raise InputError(f"bound is {bound:g}; the norm that no row exceeds must be above 0 and finite.")
    slack = (2 * rows.shape[1] + 16) * UNIT
    farthest = min(FARTHEST * bound, sys.float_info.max)
    rows = np.clip(rows, -farthest, farthest)  # so that no square overflows, which would be said
    scaled = rows if bound == 1.0 else rows / bound
    norms = np.sqrt((scaled * scaled).sum(axis=1))
    shrunk = np.where(norms > 1.0 - slack, (1.0 - 2.0 * slack) / np.maximum(norms, 0.5), 1.0)
    rows *= shrunk[:, None]
    return np.asarray(rows)


def on_grid(values: Array, bits: int = GRID) -> Array:
    """Towards zero, to multiples of 2^−bits."""
    scaled = np.asarray(values * 2.0**bits)
    np.trunc(scaled, out=scaled)
    scaled *= 2.0**-bits
    return scaled


def scores(features: Array, weights: Array) -> Array:
    """x·w of each row, summed for it alone: to the last bit, no other row touches it, as it may in a matrix product."""
    with np.errstate(over="ignore", invalid="ignore"):  # a warning would tell of a row
        return np.asarray((np.ascontiguousarray(features) * weights).sum(axis=1))
