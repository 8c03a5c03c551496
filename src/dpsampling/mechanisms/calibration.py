"""The largest scale that keeps a promise, found by bisection that ends on the private side."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpsampling.errors import InputError

Array = NDArray[np.float64]

# Divergences are computed to a few units in the last place; promises are made at a scale and with a value that
# lie further out than that.
SCALE_MARGIN = 1.0 + 2.0**-49
VALUE_MARGIN = 1.0 + 2.0**-40
# The sum w α₀ + r s that is a parameter of a law is rounded by 2^-53 of itself at most, and so is its neighbour's:
# together by this of the larger one, which may be far more than 2^-49 of r.
PARAMETER_ROUNDING = 2.0**-52
SMALLEST_SCALE = 2.0**-400


def largest_scale(divergence: Callable[[Array], Array], epsilons: ArrayLike) -> Array:
    """For each ε, the largest float s in (0, 1] with divergence(s) ≤ ε; `divergence` grows with s.

    The bracket is halved in the order of the floats themselves until its ends are neighbours, and its lower end,
    at which the inequality was seen to hold, is returned. (The thesis stops after 500 halvings.)
    """
    epsilons = check_epsilons(epsilons)
    ones = np.ones(epsilons.shape)
    # Positive floats are ordered like their bit patterns, so that halving integers visits every scale of magnitude.
    low = np.full(epsilons.shape, SMALLEST_SCALE).view(np.int64)
    high = ones.view(np.int64).copy()
    whole = divergence(ones) <= epsilons
    failing = ~(divergence(low.view(np.float64)) <= epsilons)
    if np.any(failing):
        raise InputError(f"epsilon is {epsilons[failing].flat[0]:g}; no positive scale is that private here; raise it.")
    while np.any(high - low > 1):
        middle = low + (high - low) // 2
        holds = divergence(middle.view(np.float64)) <= epsilons
        low, high = np.where(holds, middle, low), np.where(holds, high, middle)
    return np.where(whole, 1.0, low.view(np.float64))


def check_epsilons(epsilons: ArrayLike) -> Array:
    """0 < ε < ∞, as an array of one dimension or more."""
    array = np.atleast_1d(np.asarray(epsilons, dtype=float))
    good = (array > 0) & np.isfinite(array)
    if not np.all(good):
        raise InputError(f"epsilon is {array[~good].flat[0]:g}; it must be above 0 and finite.")
    return array


def check_order(order: float) -> float:
    """1 < λ < ∞."""
    if not 1 < order < math.inf:
        raise InputError(f"order is {order:g}; a mechanism is calibrated at a finite order above 1.")
    return float(order)
