"""What the families share: checks of their arguments, and Gamma variables on the log scale."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpsampling.errors import InputError

Array = NDArray[np.float64]

LARGEST_ORDER = 1e100  # from here on, a divergence is that of order ∞, which is no less


class CountedRecords:
    """The part of a family that checks the number of records."""

    def check_records(self, n: float) -> float:
        """n ≥ 1: with no record there is no neighbour."""
        if not (math.isfinite(n) and n >= 1 and float(n).is_integer()):
            raise InputError(f"n is {n:g}; it must be a whole number of records, 1 or more.")
        return float(n)


def check_order(order: ArrayLike) -> Array:
    """λ ≥ 1, where 1 is the Kullback-Leibler divergence."""
    order = np.asarray(order, dtype=float)
    good = order >= 1.0
    if not np.all(good):
        raise InputError(f"order is {order[~good].flat[0]:g}; a Rényi order here is 1 or more.")
    return order


def log_gamma_draws(shape: Array, rng: np.random.Generator, size: int | tuple[int, ...]) -> Array:
    """ln G of Gamma variables: ln G_a is ln G_{a+1} + ln(U)/a, so that shapes near 0 do not underflow."""
    return np.log(rng.standard_gamma(shape + 1.0, size)) - rng.standard_exponential(size) / shape


def plain(value: object) -> str:
    """A value in an error message."""
    return str(value.tolist() if isinstance(value, np.ndarray) else value)
