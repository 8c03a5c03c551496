r"""Finite Markov kernels, and the exact privacy of a mechanism with finitely many outputs.

    K(x, y) = Pr(y | x) ≥ 0,      Σ_y K(x, y) = 1,      (μK)(y) = Σ_x μ(x) K(x, y).

A mechanism on finitely many data sets is a kernel too, with data sets for inputs; K ∘ M is then the matrix M K.
Two laws differ at level ε by their hockey-stick divergence D_{e^ε}(μ‖ν) = Σ_y [μ(y) − e^ε ν(y)]_+, D_1 = TV, and
D_∞(μ‖ν) = μ(supp μ ∖ supp ν). M is (ε, δ)-DP where it is at most δ for all neighbours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from dpsampling.errors import InputError
from dpsampling.numerics.arrays import Array

SUM_TOLERANCE = 1e-9
EVALUATED_AT_ONCE = 2_000_000  # terms of hockey sticks held in memory together
TILE = 2**17  # entries of the rows that are compared together: a megabyte
FINITE_LEVEL = 700.0  # e^ε overflows a little above; a smaller level has a larger divergence
LARGEST_RESPONSE = 600.0
SUMS = 2.0**-50  # how far rounding moves the sum of a row, and so any coefficient
LEVELS = 2.0**-50  # the relative error of e^ε and of its products


@dataclass(frozen=True, eq=False)
class Kernel:
    """K(x, y), one row an input x, one column an output y; `of` checks the rows."""

    rows: Array

    @classmethod
    def of(cls, rows: ArrayLike) -> Kernel:
        """A kernel of these rows, each divided by its sum, which must be 1 up to rounding."""
        try:
            given = np.asarray(rows, dtype=float)
        except (TypeError, ValueError):
            given = np.empty(0)
        if given.ndim != 2 or not given.size:
            raise InputError("a kernel is a table of numbers, one row an input and one column an output.")
        if not np.all(np.isfinite(given)):
            x, y = np.argwhere(~np.isfinite(given))[0] + 1
            raise InputError(f"the kernel has {given[x - 1, y - 1]} in row {x}, column {y}; a probability is finite.")
        if np.any(given < 0):
            x, y = np.argwhere(given < 0)[0] + 1
            raise InputError(
                f"the kernel has {given[x - 1, y - 1]:g} in row {x}, column {y}; a probability is 0 or more."
            )
        sums = given.sum(axis=1)
        off = np.abs(sums - 1.0)
        if np.any(off > SUM_TOLERANCE):
            x = int(np.argmax(off > SUM_TOLERANCE))
            raise InputError(
                f"row {x + 1} of the kernel sums to {sums[x]:.10g}; it must sum to 1, so divide the row by its sum."
            )
        return cls(given / sums[:, np.newaxis])

    def after(self, mechanism: Kernel) -> Kernel:
        """K ∘ M: this kernel applied to a mechanism's output."""
        if mechanism.rows.shape[1] != self.rows.shape[0]:
            raise InputError(
                f"the mechanism has {mechanism.rows.shape[1]} outputs and the kernel {self.rows.shape[0]} inputs; "
                "they must be the same values."
            )
        return Kernel.of(mechanism.rows @ self.rows)

    def delta_at(self, epsilon: float) -> float:
        """The least δ with which a mechanism of these output laws, all of them neighbours, is (ε, δ)-DP."""
        return largest_hockey_stick(self, epsilon)


def largest_hockey_stick(kernel: Kernel, epsilon: float) -> float:
    """max over x, x′ of D_{e^ε}(K(x)‖K(x′)), rounded up; 0 exactly where no pair of rows differs at this level."""
    if not epsilon >= 0:
        raise InputError(f"epsilon is {epsilon:g}; a privacy level must be 0 or more.")
    rows = kernel.rows
    if math.isinf(epsilon):
        # A product of positive numbers, whose zeros are exact.
        return upper(float(np.max(rows @ (rows == 0.0).astype(float).T)), len(rows))
    ratio = max(1.0, math.exp(min(epsilon, FINITE_LEVEL)) * (1.0 - LEVELS))
    top, low = rows.max(axis=0), rows.min(axis=0)
    differing = top > ratio * low  # no pair differs in the other outputs
    if not np.any(differing):
        return 0.0
    first = np.ascontiguousarray(rows[:, differing])
    # Beyond the column's largest entry a multiple of e^ε makes no difference, but costs digits.
    second = first if ratio == 1.0 else np.minimum(ratio * first, top[differing])
    if first.shape[0] * first.size <= EVALUATED_AT_ONCE:
        exact = np.maximum(first[:, np.newaxis, :] - second[np.newaxis, :, :], 0.0).sum(axis=-1)
        return upper(float(exact.max()), first.shape[1])
    return upper(_largest_of_many(first, second), first.shape[1])


def _largest_of_many(first: Array, second: Array) -> float:
    """max Σ [a − b]_+ = max ½ (Σ |a − b| + Σ a − Σ b): L1 distances of all pairs, then the best ones term by term.

    Tiles of rows that stay in the cache together take two thirds of the time of one call for all rows.
    """
    a_sums, b_sums = first.sum(axis=1), second.sum(axis=1)
    error = (first.shape[1] + 8) * 2.0**-52 * float(1.0 + b_sums.max())
    tile = max(1, TILE // first.shape[1])
    best, not_summed, pairs, values = -math.inf, -math.inf, np.empty((0, 2), dtype=np.intp), np.empty(0)
    for i in range(0, len(first), tile):
        # The distance of equals does not depend on their order.
        for j in range(i if first is second else 0, len(second), tile):
            stick = cdist(first[i : i + tile], second[j : j + tile], "cityblock")
            stick += a_sums[i : i + tile, np.newaxis] - b_sums[j : j + tile]
            stick /= 2.0
            largest = float(stick.max())
            best = max(best, largest)
            if largest < best - 2.0 * error:
                continue
            near = np.argwhere(stick >= best - 2.0 * error)
            kept = values >= best - 2.0 * error
            if (int(kept.sum()) + len(near)) * first.shape[1] > EVALUATED_AT_ONCE:
                not_summed = max(not_summed, largest)  # so many tie that their rounding error is all there is to gain
                continue
            values = np.concatenate([values[kept], stick[near[:, 0], near[:, 1]]])
            pairs = np.concatenate([pairs[kept], near + np.array([i, j])])
    exact = np.maximum(first[pairs[:, 0]] - second[pairs[:, 1]], 0.0).sum(axis=1)
    return float(np.max(exact, initial=not_summed + error if not_summed >= best - 2.0 * error else 0.0))


def upper(value: float, terms: int) -> float:
    """A probability that is at least the exact sum of so many positive terms whose rounded sum is `value`."""
    return min(1.0, value * (1.0 + 2.0**-40 + terms * 2.0**-51) + SUMS) if value > 0 else 0.0


def randomized_response(values: int, epsilon: float) -> Kernel:
    """The value itself with probability e^ε/(e^ε + k − 1), each other one with 1/(e^ε + k − 1): ε-DP exactly."""
    _check_values(values)
    if not 0 <= epsilon <= LARGEST_RESPONSE:
        raise InputError(
            f"epsilon is {epsilon:g}; randomized response has a level from 0 to {LARGEST_RESPONSE:g}, beyond which its "
            "smaller probabilities are 0 as floats."
        )
    itself = 1.0 / (1.0 + (values - 1) * math.exp(-epsilon))
    return Kernel.of(np.where(np.eye(values, dtype=bool), itself, itself * math.exp(-epsilon)))


def leaky_randomized_response(values: int, epsilon: float, delta: float) -> Kernel:
    """The value itself with probability δ, otherwise randomized response: (ε, δ)-DP, and for no smaller δ."""
    if not 0 <= delta <= 1:
        raise InputError(f"delta is {delta:g}; it must be a probability between 0 and 1.")
    response = randomized_response(values, epsilon).rows
    return Kernel.of(delta * np.eye(values) + (1.0 - delta) * response)


def uniform_noise(values: int, noise: float) -> Kernel:
    """A uniform value with probability `noise`, otherwise the value itself."""
    _check_values(values)
    if not 0 <= noise <= 1:
        raise InputError(f"noise is {noise:g}; it must be a probability between 0 and 1.")
    return Kernel.of((1.0 - noise) * np.eye(values) + noise / values)


def _check_values(values: int) -> None:
    if not (values >= 2 and float(values).is_integer()):
        raise InputError(f"values is {values:g}; randomized response needs 2 or more of them, a whole number.")
