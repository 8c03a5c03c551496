r"""Upper bounds on the local sensitivity that change slowly (Nissim, Raskhodnikova and Smith 2007, Definition 2.2).

    S(x) = max_{x′} LS(x′) e^{−β d(x,x′)}            the least S with S ≥ LS and S(x) ≤ e^β S(x′) for neighbours

For the median of n values in [low, high], n odd, m = (n + 1)/2, with low and high standing before and after the sorted
values, a data set at distance k has a local sensitivity of at most the widest gap of k + 2 values in a row about x_m:

    S(x) = max_{0 ≤ k ≤ n} e^{−βk} max_{0 ≤ t ≤ k+1} (x_{m+t} − x_{m+t−k−1}).

Numbers are rounded up by 2⁻⁴¹ of themselves, so that S may change by e^{β + SLACK} instead: mechanisms allow for that.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.errors import InputError
from dpsampling.foundations.finite_metric import FiniteFunction
from dpsampling.numerics.arrays import Array

SLACK = 2.0**-40
ROUNDED_UP = 1.0 + 2.0**-41
DEEPEST = 600.0  # e^{−βn} must be a float with all its digits


def smooth_sensitivities(function: FiniteFunction, beta: float) -> Array:
    """S of every point, by enumeration."""
    check_beta(beta)
    distances = np.array([[float(d) for d in row] for row in function.distances])
    if beta * distances.max() > DEEPEST:
        raise InputError(
            f"beta is {beta:g} for distances up to {distances.max():g}; their product must be {DEEPEST:g} or less: "
            "lower beta."
        )
    local = np.array([float(s) for s in function.local_sensitivity])
    smooth = (local * np.exp(-beta * distances)).max(axis=1) * ROUNDED_UP
    first, second = np.array(function.neighbours).T
    if np.any(smooth[first] > smooth[second] * math.exp(beta + SLACK)):
        raise InputError("distances break the triangle inequality; no such bound changes by e^β alone from them.")
    return np.asarray(smooth)


def median_smooth_sensitivity(values: ArrayLike, low: float, high: float, beta: float) -> Array:
    """S of the median over the last axis; values outside [low, high] count as its ends."""
    check_beta(beta)
    if not -math.inf < low < high < math.inf:
        raise InputError(f"low is {low:g} and high {high:g}; values need a finite public interval.")
    array = np.sort(np.clip(np.asarray(values, dtype=float), low, high), axis=-1)
    if np.isnan(array).any():
        raise InputError("values holds nan; each must be a number.")
    n = array.shape[-1]
    check_odd(n)
    if beta * n > DEEPEST:
        raise InputError(f"beta is {beta:g} for {n} values; their product must be {DEEPEST:g} or less: lower beta.")
    ends = (*array.shape[:-1], n + 1)
    padded = np.concatenate([np.full(ends, low), array, np.full(ends, high)], axis=-1)
    middle = n + 1 + (n - 1) // 2
    smooth = np.zeros(array.shape[:-1])
    for k in range(n + 1):
        upper = padded[..., middle : middle + k + 2]
        lower = padded[..., middle - k - 1 : middle + 1]
        smooth = np.maximum(smooth, math.exp(-beta * k) * (upper - lower).max(axis=-1))
    return np.asarray(smooth * ROUNDED_UP)


def check_beta(beta: float) -> None:
    """0 < β < ∞."""
    if not 0 < beta < math.inf:
        raise InputError(f"beta is {beta:g}; it must be above 0 and finite.")


def check_odd(n: int) -> None:
    """A median in the middle."""
    if n % 2 == 0:
        raise InputError(f"there are {n} values; the median is of an odd number of them.")
