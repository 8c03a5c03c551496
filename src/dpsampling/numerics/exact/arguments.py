"""What every release asks of its arguments: one data set a call, since each further one costs the guarantee again."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.errors import InputError
from dpsampling.numerics.arrays import Array


def single(name: str, statistic: ArrayLike) -> float:
    """The one number that a data set's statistic is: each further data set costs the guarantee again."""
    value = np.asarray(statistic, dtype=float)
    if value.ndim:
        raise InputError(
            f"{name} is {value.size} numbers; a release is of one data set, so give the one sum over its records, "
            "and size for more draws of it."
        )
    return float(value)


def row(name: str, counts: ArrayLike) -> Array:
    """The counts of one data set, side by side."""
    values = np.asarray(counts, dtype=float)
    if values.ndim != 1:
        raise InputError(
            f"{name} has shape {values.shape}; a release is of one data set, so give its numbers in a row, such as "
            "[42], and size for more draws."
        )
    return values


def check_size(size: object) -> int:
    """A whole number of draws, 1 or more."""
    if isinstance(size, np.random.Generator):
        raise InputError(
            "a release takes no generator, only the operating system's bits; simulate() is what takes one, "
            "and protects nothing."
        )
    if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 1:
        raise InputError(f"size is {size}; it must be a whole number of draws, 1 or more.")
    return int(size)
