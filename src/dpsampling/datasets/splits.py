"""Which rows of a design are for training, and which for testing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpsampling.datasets.design import Design


def draw(design: Design, rng: np.random.Generator) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows for training and for testing, both in their order: the set's own, or any of that size alike."""
    order = np.arange(design.labels.size) if design.own else rng.permutation(design.labels.size)
    return np.sort(order[: design.train]), np.sort(order[design.train :])
