"""The answers of a query session in floats, from a seeded generator: for experiments, it protects nothing.

It is no `QuerySession` and has neither a guarantee nor a budget; its method has another name, so that no code takes one
for the other. `runs` sessions are simulated at once: a query then gets one draw of each, along the first axis.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from dpsampling.numerics.randomness import EVALUATION

Answer = TypeVar("Answer")


class Simulated(Protocol):
    """A mechanism whose draws can be simulated."""

    def simulate(self, data: Any, rng: np.random.Generator, size: int, /) -> NDArray[Any]:
        """Draws along the first axis."""


class EvaluationSession:
    """Algorithm 1, simulated."""

    def __init__(self, mechanism: Simulated, data: Any, rng: np.random.Generator, *, runs: int = 1) -> None:
        self._mechanism, self._data, self._rng, self._runs = mechanism, data, rng, runs
        self.drawn = 0

    def evaluate(self, query: Callable[[NDArray[Any]], Answer]) -> Answer:
        """q(θ) of a fresh θ for each run."""
        self.drawn += 1
        return query(self._mechanism.simulate(self._data, self._rng, self._runs))

    def __repr__(self) -> str:
        return f"EvaluationSession of {type(self._mechanism).__name__}: {EVALUATION}"
