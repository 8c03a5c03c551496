"""Random kernels of several kinds, small enough to look at all of their events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from dpsampling.amplification.kernels import Kernel
from dpsampling.numerics.randomness import substream

Array = NDArray[np.float64]


def kernels(count: int, states: Sequence[int], rng: np.random.Generator) -> Iterator[Kernel]:
    """So many square kernels, all kinds and all numbers of states in turn; a kernel does not depend on `count`."""
    kinds = list(product(sorted(states), KINDS))
    streams = [substream(rng, "kernels", size, kind.__name__) for size, kind in kinds]
    for i in range(count):
        (size, kind), stream = kinds[i % len(kinds)], streams[i % len(kinds)]
        yield Kernel.of(kind(size, stream))


def smooth(size: int, rng: np.random.Generator) -> Array:
    """Rows uniform on the simplex."""
    return rng.dirichlet(np.ones(size), size)


def peaked(size: int, rng: np.random.Generator) -> Array:
    """Rows with little more than one entry, the others down to 1e-20 and below."""
    return rng.dirichlet(np.full(size, 0.1), size)


def sparse(size: int, rng: np.random.Generator) -> Array:
    """Rows with half of their entries 0, and at least one that is not."""
    weights = rng.exponential(size=(size, size)) * (rng.random((size, size)) < 0.5)
    weights[np.arange(size), rng.integers(size, size=size)] += 0.1
    return weights / weights.sum(axis=1, keepdims=True)


def nearly_identity(size: int, rng: np.random.Generator) -> Array:
    """The identity and a little of something smooth."""
    noise = rng.random() ** 3
    return (1.0 - noise) * np.eye(size) + noise * smooth(size, rng)


def nearly_constant(size: int, rng: np.random.Generator) -> Array:
    """One law for all inputs and a little of something smooth."""
    noise = rng.random() ** 3
    return (1.0 - noise) * smooth(size, rng)[:1] + noise * smooth(size, rng)


KINDS = (smooth, peaked, sparse, nearly_identity, nearly_constant)


def event_probabilities(kernel: Kernel) -> Array:
    """Pr(y ∈ E | x) for each input x, a row, and each of the 2^m events E, a column."""
    outputs = kernel.rows.shape[1]
    events = np.array(list(product((0.0, 1.0), repeat=outputs))).T
    return kernel.rows @ events
