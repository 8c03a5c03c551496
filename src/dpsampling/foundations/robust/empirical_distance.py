r"""The exact law of ‖p̂_n − p‖₁, where p̂_n are the frequencies of n draws from p = c/N, and two bounds on its tail.

    n N ‖p̂_n − p‖₁ = Σ_i |N k_i − n c_i|             a whole number, for counts k of the m cells

The cells are counted one after the other, k_i of those that are left being binomial with c_i/(c_i + … + c_m): what is
left, and the sum so far, is all that the next cell needs.

    P(‖p̂_n − p‖₁ ≥ ε) ≤ (2^m − 2) e^{−nε²/2}                                      Weissman et al. (Robust 2014 (C.6))
    P(‖p̂_n − p‖₁ > √((3/n) ln 1/δ)) ≤ δ      where m ≤ log₂ √(1/δ)                (Robust 2014 Lemma 2)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import binom

from dpsampling.numerics.arrays import Array

AS_LARGE = 1.0 + 1e-12  # up to rounding


class Distances(NamedTuple):
    """Values of ‖p̂_n − p‖₁ that can be, in order, and their probabilities."""

    values: Array
    probabilities: Array

    def at_least(self) -> Array:
        """P(‖p̂_n − p‖₁ ≥ ε) at each value ε."""
        return np.asarray(np.cumsum(self.probabilities[::-1])[::-1])

    def above(self, epsilon: float) -> float:
        """P(‖p̂_n − p‖₁ > ε)."""
        return float(np.sum(self.probabilities[self.values > epsilon * AS_LARGE]))

    def quantile(self, delta: float) -> float:
        """The least value that is exceeded with probability δ at most."""
        beyond = self.at_least() - self.probabilities
        return float(self.values[np.argmax(beyond <= delta * AS_LARGE)])


def distances(n: int, shares: Sequence[int]) -> Distances:
    """The law for n draws and p_i = shares_i/Σ shares."""
    total = sum(shares)
    sums = 2 * n * total + 1
    mass = np.zeros((n + 1, sums))  # by draws that are left and the sum so far
    mass[n, 0] = 1.0
    left = total
    for share in shares[:-1]:
        after = np.zeros_like(mass)
        for k in range(n + 1):
            step = abs(total * k - n * share)
            if step < sums:
                chance = np.asarray(binom.pmf(k, np.arange(k, n + 1), share / left))
                after[: n + 1 - k, step:] += chance[:, np.newaxis] * mass[k:, : sums - step]
        mass, left = after, left - share
    ended = np.zeros(sums)
    for k in range(n + 1):  # the last cell has what is left
        step = abs(total * k - n * shares[-1])
        if step < sums:
            ended[step:] += mass[k, : sums - step]
    there = np.flatnonzero(ended > 0)
    return Distances(there / (n * total), ended[there])


def weissman(cells: int, n: int, epsilon: Array) -> Array:
    """(2^m − 2) e^{−nε²/2}."""
    return np.asarray((2.0**cells - 2.0) * np.exp(-n * np.asarray(epsilon) ** 2 / 2.0))


def radius(n: int, delta: float) -> float:
    """√((3/n) ln 1/δ) of Lemma 2."""
    return math.sqrt(3.0 / n * math.log(1.0 / delta))


def largest_failure(cells: int) -> float:
    """The largest δ with m ≤ log₂ √(1/δ): 4^{−m}."""
    return 4.0**-cells
