r"""Privacy constraints in exact rational arithmetic.

A mechanism stores transition probabilities A^i(x, y) that are multiples of 2^-53, so that rows of floats sum to exactly
1 and the output laws Σ_x P_i(x) A^i(x, y) are rational numbers. A constraint

    Pr(y | P_i) ≤ e^ε Pr(y | P_j)                                              (thesis eq. (7.3))

is checked with whole numbers and a rational lower bound of e^ε: what passes, holds.

Profiles are given as floats, whose sum is 1 up to rounding. Which rational numbers are meant is left open by that, so
the constraints are to hold for every reading: the floats divided by their sum; the floats as they stand; and for two
categories (1 − p, p) with the float p. Where the sum is further from 1 than rounding goes, or ε is so small that
rounding decides, the first reading alone counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpsampling.numerics.arrays import Array
from dpsampling.privacy.rounding import float_above
from dpsampling.profiles.graph import ProfileGraph

GRID = 2**53  # transition probabilities are whole multiples of 1/GRID
LARGEST_EPSILON = 700.0  # beyond it, a level is met as if it were this one: e^ε is no float any more
_DIGITS = 60  # of e^ε; logarithms have more, so that ln of the bound does not round above ε
_MARGIN = 1e-8  # a ratio this far below e^ε in floats needs no exact check

Whole = NDArray[Any]  # Python's integers, of any size


@dataclass(frozen=True)
class Reading:
    """Profiles as fractions: P_i(x) = numerators[i, x] / denominators[i]."""

    numerators: Whole
    denominators: Whole


@dataclass(frozen=True)
class Constraint:
    """One inequality in whole numbers: Pr(y | P_i) ≤ e^ε Pr(y | P_j) for one reading of the profiles.

    With X_i = Σ_x numerators[i, x]·A^i(x, y)·GRID it is X_i·left ≤ X_j·right.
    """

    reading: Reading
    i: int
    j: int
    y: int
    left: int
    right: int


@dataclass(frozen=True, eq=False)
class ExactGraph:
    """A profile graph and a level, in whole numbers."""

    graph: ProfileGraph
    epsilon: float

    @cached_property
    def bound(self) -> Fraction:
        """A rational number just below e^ε."""
        return exp_below(min(self.epsilon, LARGEST_EPSILON))

    @cached_property
    def readings(self) -> tuple[Reading, ...]:
        """The readings of the profiles that are to be protected."""
        numerators, denominators = _fractions(self.graph.probabilities)
        sums = numerators.sum(axis=1)
        normalised = Reading(numerators, sums)
        off = max(abs(Fraction(int(s), int(t)) - 1) for s, t in zip(sums, denominators, strict=True))
        categories = numerators.shape[1]
        if off == 0 or off > min(Fraction(categories, 2**52), (self.bound - 1) / 8):
            return (normalised,)
        readings: tuple[Reading, ...] = (normalised, Reading(numerators, denominators))
        if categories == 2:
            ones = numerators[:, 1]
            readings += (Reading(np.column_stack([denominators - ones, ones]), denominators),)
        return readings

    def constraints(self, i: int, j: int, y: int) -> Iterator[Constraint]:
        """The inequality of output y from P_i to P_j, for every reading."""
        for reading in self.readings:
            left = int(reading.denominators[j]) * self.bound.denominator
            right = int(reading.denominators[i]) * self.bound.numerator
            yield Constraint(reading, i, j, y, left, right)

    def suspects(self, matrices: Array) -> list[tuple[int, int, int]]:
        """The (i, j, y) whose ratio of output probabilities is not clearly below e^ε in floats."""
        laws = np.einsum("ix,ixy->iy", self.graph.normalised, matrices)
        i, j = self.graph.directed.T
        least = np.maximum(laws[j] - laws.shape[1] * 2.0**-51, 0.0)  # readings differ by rounding of the profiles
        close = laws[i] > math.exp(min(self.epsilon, LARGEST_EPSILON)) * (1.0 - _MARGIN) * least
        edge, y = np.nonzero(close)
        return list(zip(i[edge].tolist(), j[edge].tolist(), y.tolist(), strict=True))

    def violated(self, matrices: Array) -> list[tuple[int, int, int]]:
        """The (i, j, y) whose constraint fails, exactly; `matrices` hold multiples of 1/GRID."""
        units = whole(matrices)
        laws = [_laws(reading, units) for reading in self.readings]
        found = []
        for i, j, y in self.suspects(matrices):
            for law, c in zip(laws, self.constraints(i, j, y), strict=True):
                if law[i, y] * c.left > law[j, y] * c.right:
                    found.append((i, j, y))
                    break
        return found

    def achieved(self, matrices: Array) -> float:
        """The largest ln Pr(y | P_i)/Pr(y | P_j) over edges, outputs and readings, rounded up."""
        units = whole(matrices)
        i, j = self.graph.directed.T
        largest = Fraction(0)
        for reading in self.readings:
            laws = _laws(reading, units)
            floats = np.array((laws / (reading.denominators[:, np.newaxis] * GRID)).tolist())  # each one rounded once
            if ((floats[i] > 0) & (laws[j] == 0)).any():
                return math.inf
            with np.errstate(divide="ignore", invalid="ignore"):
                ratios = np.where(floats[i] > 0, floats[i] / floats[j], 0.0)
            for edge, y in np.argwhere(ratios >= ratios.max() * (1.0 - 1e-12)):
                a, b = int(i[edge]), int(j[edge])
                if laws[b, y]:
                    ratio = Fraction(laws[a, y] * reading.denominators[b], laws[b, y] * reading.denominators[a])
                    largest = max(largest, ratio)
        return log_above(largest)


def whole(matrices: Array) -> Whole:
    """Transition probabilities in units of 1/GRID."""
    return np.rint(matrices * GRID).astype(np.int64).astype(object)


def on_grid(flips: Array) -> Array:
    """Matrices with these off-diagonal entries, rounded to the grid, and rows that sum to exactly 1."""
    units = np.rint(flips * GRID).astype(np.int64)
    diagonal = np.arange(flips.shape[-1])
    units[..., diagonal, diagonal] = 0
    units[..., diagonal, diagonal] = GRID - units.sum(axis=-1)
    return units / GRID


def exp_below(epsilon: float) -> Fraction:
    """A rational number below e^ε, by one part in 10^58."""
    context = Context(prec=_DIGITS)
    value = context.next_minus(context.exp(Decimal(epsilon)))  # exp is rounded to the nearest
    return Fraction(context.next_minus(value))


def log_above(ratio: Fraction) -> float:
    """The least float that is not below ln(ratio), and 0 for ratios up to 1."""
    if ratio <= 1:
        return 0.0
    context = Context(prec=2 * _DIGITS, rounding=ROUND_CEILING)
    quotient = context.divide(Decimal(ratio.numerator), Decimal(ratio.denominator))
    logarithm = Fraction(context.next_plus(context.ln(quotient)))  # ln is rounded to the nearest
    return float_above(logarithm)


def _laws(reading: Reading, units: Whole) -> Whole:
    """Σ_x numerators[i, x]·units[i, x, y]."""
    total: Whole = (reading.numerators[:, :, np.newaxis] * units).sum(axis=1)
    return total


def _fractions(probabilities: Array) -> tuple[Whole, Whole]:
    """Numerators, and one denominator (a power of two) for each row."""
    numerators, denominators = [], []
    for row in probabilities.tolist():
        parts = [value.as_integer_ratio() for value in row]
        common = max(denominator for _, denominator in parts)
        numerators.append([numerator * (common // denominator) for numerator, denominator in parts])
        denominators.append(common)
    return np.array(numerators, dtype=object), np.array(denominators, dtype=object)
