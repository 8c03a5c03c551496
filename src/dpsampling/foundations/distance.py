r"""What one δ at every distance asks for (DP review 2019 Definition 2.15), beside the usual definition at distance 1.

Along a path of d neighbours P_0(S) ≤ t P_1(S) + δ ≤ … ≤ t^d P_d(S) + δ (t^d − 1)/(t − 1), t = e^ε: of the usual
definition that is what is left at distance d, and `chain` has nothing less. Two mechanisms for which it matters:

    Gaussian noise        at distance d a pair with μ = d/σ at the level dε: its δ tends to 1 as d grows
    geometric noise       Pr(j) ∝ t^{−|j|}: at distance d its loss is ln t times d, d − 2, …, −d, and mostly near d
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from dpsampling.numerics.arrays import Array
from dpsampling.privacy.gaussian_dp import GaussianDP

Exact = tuple[Fraction, ...]


def group_delta(t: Fraction, delta: Fraction, distance: int) -> Fraction:
    """δ (t^d − 1)/(t − 1): the δ of the usual definition at distance d."""
    return delta * sum((t**step for step in range(distance)), Fraction(0))


def chain(t: Fraction, delta: Fraction, length: int) -> list[Exact]:
    """Laws for 0 … length records, each (ln t, δ) beside the next; the first and the last are as group_delta says."""
    ones = [group_delta(t, delta, record) for record in range(length + 1)]
    return [(1 - one, one) for one in ones]


def gaussian_delta(sigma: float, epsilon: float, distance: int) -> float:
    """δ of noise N(0, σ²) at the level dε between values d apart, rounded up."""
    return GaussianDP(distance / sigma).delta(distance * epsilon)


def geometric_pair(t: float, distance: int, count: int) -> tuple[Array, Array]:
    """Output laws of `count` releases with geometric noise of values d apart, by the loss, from the largest on.

    Outputs beyond either value have the same loss as the value itself, so that one release has d + 1 of them.
    """
    steps = np.arange(distance + 1.0)
    masses = t**-steps * (t - 1.0) / (t + 1.0)
    masses[[0, -1]] = t / (t + 1.0), t ** (1.0 - distance) / (t + 1.0)
    together = np.ones(1)
    for _ in range(count):
        together = np.convolve(together, masses)
    losses = count * distance - 2.0 * np.arange(len(together))
    return together, together * np.exp(-losses * math.log(t))
