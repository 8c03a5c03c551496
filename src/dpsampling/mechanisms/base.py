"""What every mechanism offers, so that one harness can price and attack all of them."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.numerics.arrays import Array
from dpsampling.numerics.exact.fixed_point import FixedPoint
from dpsampling.privacy.guarantee import Guarantee


class Mechanism(Protocol):
    """A randomized release of θ from a data set's sufficient statistic.

    Two kinds of randomness: `release` takes the operating system's bits and no seed, is exact, and protects; `simulate`
    takes a seeded generator, works with floats, and protects nothing: it is for experiments.
    """

    @property
    def guarantee(self) -> Guarantee:
        """Return what one release promises."""

    def release(self, statistic: ArrayLike, size: int | None = None) -> FixedPoint:
        """Draws of θ for one data set, each at the guarantee's cost."""

    def simulate(self, statistic: ArrayLike, rng: np.random.Generator, size: int | None = None) -> Array:
        """Draws that follow the same law, for one data set or several."""

    def log_density(self, theta: ArrayLike, statistic: ArrayLike) -> Array:
        """The log-density of one release at θ."""

    def worst_pair(self, order: float) -> tuple[Array, Array]:
        """Statistics (Σ S, n) of the two neighbouring data sets that the guarantee at this order is about."""
