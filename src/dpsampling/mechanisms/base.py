"""What every mechanism offers, so that one harness can price and attack all of them."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpsampling.privacy.guarantee import Guarantee

Array = NDArray[np.float64]


class Mechanism(Protocol):
    """A randomized release of θ from a data set's sufficient statistic."""

    @property
    def guarantee(self) -> Guarantee:
        """What one release promises."""
        ...

    def release(self, statistic: ArrayLike, rng: np.random.Generator, size: int | None = None) -> Array:
        """Draws of θ."""
        ...

    def log_density(self, theta: ArrayLike, statistic: ArrayLike) -> Array:
        """The log-density of one release at θ."""
        ...

    def worst_pair(self, order: float) -> tuple[Array, Array]:
        """Statistics (Σ S, n) of the two neighbouring data sets that the guarantee at this order is about."""
        ...
