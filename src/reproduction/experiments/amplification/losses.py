"""The loss of what noisy SGD releases, on the logistic problem, after any number of public steps.

A run takes n private steps and then steps on public data, drawn from the same population. The iterate k public steps
later is what is released when there are k of them, so one run gives the loss for every k up to its length. The
same runs without noise, on the same records, are the SGD that is not private.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dpsampling.amplification.noisy_sgd import NoisySGD, iterates
from dpsampling.numerics.randomness import substream
from reproduction.experiments.amplification.logistic import Logistic

Array = NDArray[np.float64]


def problem_for(sgd: NoisySGD, dimension: int, rng: np.random.Generator) -> Logistic:
    """The problem that is run, with the constants that the steps are made for."""
    return Logistic.draw(dimension, sgd.lipschitz, sgd.smoothness, sgd.convexity, substream(rng, "population"))


def public_losses(
    sgd: NoisySGD, problem: Logistic, private: int, public: int, repeats: int, rng: np.random.Generator
) -> list[tuple[float, ...]]:
    """Mean excess loss and its standard error, and both without noise, after 0, 1 … public steps."""
    noisy, quiet = (
        np.array(list(_losses(problem, sgd.rate, sigma, private, public, repeats, rng))) for sigma in (sgd.sigma, 0.0)
    )
    return [(*loss, *without) for loss, without in zip(_means(noisy), _means(quiet), strict=True)]


def _means(losses: Array) -> list[tuple[float, float]]:
    """The means over the runs, with their standard errors."""
    errors = losses.std(axis=1, ddof=1) / np.sqrt(losses.shape[1])
    return list(zip(losses.mean(axis=1).tolist(), errors.tolist(), strict=True))


def _losses(
    problem: Logistic, rate: float, sigma: float, private: int, public: int, repeats: int, rng: np.random.Generator
) -> Iterator[Array]:
    """The excess losses of all repeats after the private steps, and after each public one."""
    records, noise = substream(rng, "records"), substream(rng, "noise")
    drawn = (problem.sample((repeats,), records) for _ in range(private + public))
    start = np.zeros((repeats, problem.population.shape[1]))
    steps = iterates(start, drawn, problem.gradient, problem.project, rate, sigma, noise)
    yield from (problem.excess(x) for i, x in enumerate(steps, start=1) if i >= private)
