"""Which rows of a design are for training, and which for testing."""

from __future__ import annotations

import numpy as np

from dpsampling.datasets.design import Design
from dpsampling.numerics.arrays import Indices


def draw(design: Design, rng: np.random.Generator) -> tuple[Indices, Indices]:
    """Rows for training and for testing, both in their order: the set's own, or any of that size alike."""
    order = np.arange(design.labels.size) if design.own else rng.permutation(design.labels.size)
    return np.sort(order[: design.train]), np.sort(order[design.train :])
