r"""Labelled records (x_i, y_i): rows x_i of norm at most c, labels y_i in {0, 1}; z_i = (2y_i − 1) x_i.

Every guarantee rests on ‖x_i‖ ≤ c as real numbers, and a row that was divided by its own norm may lie above it by the
rounding of a float. With s the computed sum of the squares of d numbers, |s − ‖x‖²| ≤ γ s, γ = (d + 2)·2⁻⁵² (Higham,
Accuracy and Stability, §3.1, with room to spare), so that

    s ≤ c² (1 − 2γ)    the row is certainly no longer than c, and is left as it is
    s ≤ c² (1 + 4γ)    it is c long but for rounding, and is shrunk by 1 − 8γ, to certainly no longer than c
    above that         it is refused.

What is done to a row depends on that row alone, so neighbouring data sets stay neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.errors import InputError
from dpsampling.numerics.arrays import Array

UNIT = 2.0**-52  # twice the rounding unit
LEAST_BOUND, LARGEST_BOUND = 1e-100, 1e100  # between them no square of a row matters that over- or underflows


@dataclass(frozen=True, eq=False)
class Records:
    """n rows of d `features`, none longer than the public `bound` c, and n `labels`."""

    features: ArrayLike
    labels: ArrayLike
    bound: float = 1.0

    def __post_init__(self) -> None:
        bound = float(self.bound)
        if not LEAST_BOUND <= bound <= LARGEST_BOUND:
            raise InputError(
                f"bound is {bound:g}; the norm that no record exceeds must lie between {LEAST_BOUND:g} and "
                f"{LARGEST_BOUND:g}."
            )
        object.__setattr__(self, "bound", bound)
        object.__setattr__(self, "features", _rows(self.features, bound))
        object.__setattr__(self, "labels", _labels(self.labels, len(np.asarray(self.features))))

    @cached_property
    def signed(self) -> Array:
        """The rows z_i = (2y_i − 1) x_i."""
        return np.ascontiguousarray(np.asarray(self.features) * (2.0 * np.asarray(self.labels) - 1.0)[:, None])

    @property
    def n(self) -> int:
        """How many records there are."""
        return int(self.signed.shape[0])

    @property
    def d(self) -> int:
        """How many features each has."""
        return int(self.signed.shape[1])


def _rows(features: ArrayLike, bound: float) -> Array:
    rows = np.array(features, dtype=np.float64, order="C")
    if rows.ndim != 2 or 0 in rows.shape:
        raise InputError(f"features has shape {rows.shape}; it must be one or more rows of one or more numbers each.")
    if not np.isfinite(rows).all():
        raise InputError("features holds something that is no finite number; drop or fill such entries.")
    gamma = (rows.shape[1] + 2) * UNIT
    with np.errstate(over="ignore", under="ignore"):
        squares = np.einsum("ij,ij->i", rows, rows)
    if np.any(squares > bound**2 * (1.0 + 4.0 * gamma)):
        raise InputError(f"a row of features is longer than the public bound {bound:g}; scale or clip the rows to it.")
    long = squares > bound**2 * (1.0 - 2.0 * gamma)
    rows[long] *= 1.0 - 8.0 * gamma
    rows.flags.writeable = False
    return rows


def _labels(labels: ArrayLike, n: int) -> Array:
    values = np.array(labels, dtype=np.float64)
    if values.shape != (n,):
        raise InputError(f"labels has shape {values.shape}; there must be one label for each of the {n} rows.")
    if not np.isin(values, (0.0, 1.0)).all():
        raise InputError("labels must be 0 or 1, one for each row.")
    values.flags.writeable = False
    return values
