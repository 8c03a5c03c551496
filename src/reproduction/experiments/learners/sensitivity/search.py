"""The largest value found: random starts, of which the best climb by random steps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

CHUNK = 2000  # starts at a time
STARTS_EACH = 200  # of one that climbs
ROUNDS_EACH = 150  # of one number of a point, where there are starts enough
LONGER, SHORTER = 1.5, 0.9  # a step that led up, and one that did not: in balance where one in five does


def largest(
    value: Callable[[Array], Array],
    allowed: Callable[[Array], Array],
    size: int,
    starts: int,
    rng: np.random.Generator,
    spread: float = 1.0,
) -> float:
    """max value(p) over rows p of `size` numbers that `allowed` puts where they may be."""
    points, values = np.empty((0, size)), np.empty(0)
    climbers = -(-starts // STARTS_EACH)
    for first in range(0, starts, CHUNK):
        fresh = allowed(spread * rng.standard_normal((min(CHUNK, starts - first), size)))
        points, values = np.concatenate([points, fresh]), np.concatenate([values, value(fresh)])
        best = np.argsort(-values, kind="stable")[:climbers]
        points, values = points[best], values[best]
    steps = np.full(len(points), 0.3 * spread)
    for _ in range(min(ROUNDS_EACH, starts // 40) * size):
        moved = allowed(points + steps[:, None] * rng.standard_normal(points.shape))
        there = value(moved)
        up = there > values
        points, values = np.where(up[:, None], moved, points), np.where(up, there, values)
        steps = np.where(up, steps * LONGER, steps * SHORTER).clip(1e-12, spread)
    return float(values.max())


def in_ball(rows: Array) -> Array:
    """Vectors along the last axis, those longer than 1 shrunk to 1."""
    return np.asarray(rows / np.maximum(1.0, np.linalg.norm(rows, axis=-1, keepdims=True)))
