"""One fit of the hidden Markov model: counts in, a chain out, whatever the mechanism.

    needed     what a model needs of a log's counts
    chain      what comes of it, or of noisy counts in its place: of these it is post-processing
    fit        both, with simulated noise between them: for experiments, protects nothing

The true counts of the training cells reach the chain only through the mechanism; those of held-out cells are scored
and never touch it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpsampling.errors import InputError
from dpsampling.event_logs.counts import EventCounts
from dpsampling.event_logs.mechanisms import Mechanism, NoisyCounts, OnePosteriorSample
from dpsampling.event_logs.names import CLIP, NOISE_AWARE, SUM_THEN_CLIP
from dpsampling.numerics.arrays import Array, Booleans, Integers

LARGEST_SCALE = 1e6  # of the noise that a noise-aware chain sums over; wider noise says nothing of any count
SHARE = 8  # the noise-aware chain renews one cell of so many in a sweep


@dataclass(frozen=True)
class Model:
    """K states, Dirichlet(α) transitions, Dirichlet(β) emissions, and how long a chain runs."""

    states: int
    alpha: float = 1.0
    beta: float = 1.0
    iterations: int = 200
    burn_in: int = 100

    @property
    def updates(self) -> int:
        """How often a chain draws from what it is given: states and emissions in turn, or once where it is exact."""
        return 1 if self.states == 1 else 2 * self.iterations

    def __post_init__(self) -> None:
        if not 0 <= self.burn_in < self.iterations:
            raise InputError(f"burn_in is {self.burn_in}; it must be below the {self.iterations} iterations.")
        if not 1 <= self.states <= 100:
            raise InputError(f"states is {self.states}; a model has 1 to 100.")
        for name in ("alpha", "beta"):  # the compiled chains exist for one type of them
            object.__setattr__(self, name, float(getattr(self, name)))


@dataclass(frozen=True)
class Fit:
    """A chain: S kept sweeps, H held-out cells, J outcomes of all features side by side."""

    states: NDArray[np.int8]  # (S, regions, months)
    probabilities: Array  # (K, J)  emissions: posterior means given the last assignments; for OPS the last sample
    log_joint: Array  # (iterations,)
    mixture: Array  # (S, H)
    own: Array  # (S, H)


def needed(counts: Integers, trained: Booleans, model: Model) -> Integers:
    """The training cells' counts, a row each and zeros for a held-out one; for one state the corpus-wide ones alone."""
    matrix = counts.reshape(trained.size, -1)
    if model.states == 1:
        return matrix[trained.ravel()].sum(axis=0, keepdims=True)
    return np.where(trained.ravel()[:, None], matrix, 0)


def fit(
    counts: EventCounts,
    trained: Booleans,
    model: Model,
    mechanism: Mechanism,
    *,
    noise: np.random.Generator,
    rng: np.random.Generator,
) -> Fit:
    """Run one chain; `noise` draws the mechanism's noise, so that variants can share it, and `rng` everything else."""
    seen = needed(counts.counts, trained, model).astype(float)
    if isinstance(mechanism, NoisyCounts):
        check(model, mechanism, len(counts.sizes))
        seen = mechanism.simulate(seen, len(counts.sizes), noise)
    held_out = np.ascontiguousarray(counts.counts.reshape(trained.size, -1)[~trained.ravel()].astype(float))
    return chain(seen, counts.sizes, trained, model, mechanism, rng, held_out)


def check(model: Model, mechanism: Mechanism, features: int) -> None:
    """An InputError where a model can make nothing of a mechanism's noise."""
    if not isinstance(mechanism, NoisyCounts):
        return
    if model.states == 1 and mechanism.variant != CLIP:
        raise InputError(f"a model of one state has no variant '{mechanism.variant}': nothing is summed; use 'clip'.")
    if mechanism.variant == NOISE_AWARE and mechanism.scale(features) > LARGEST_SCALE:
        raise InputError(
            f"epsilon is {mechanism.epsilon:g}; the noise-aware chain needs noise of scale below "
            f"{LARGEST_SCALE:g}, which leaves nothing to model: use 'clip' or a larger ε."
        )


def chain(
    seen: Array,
    sizes: tuple[int, ...],
    trained: Booleans,
    model: Model,
    mechanism: Mechanism,
    rng: np.random.Generator,
    held_out: Array | None = None,
) -> Fit:
    """Run one chain on what it may see of the training cells: noisy counts, or for other mechanisms the true ones."""
    run = _naive_bayes if model.states == 1 else _hidden_markov
    with _one_thread():
        return run(
            seen, sizes, trained, model, mechanism, rng, np.empty((0, sum(sizes))) if held_out is None else held_out
        )


def _hidden_markov(
    seen: Array,
    sizes: tuple[int, ...],
    trained: Booleans,
    model: Model,
    mechanism: Mechanism,
    rng: np.random.Generator,
    held_out: Array,
) -> Fit:
    from dpsampling.event_logs import gibbs, latent  # loads numba, which only a fit needs

    offsets = _offsets(sizes)
    floors, power = np.zeros(len(sizes)), 1.0
    emissions = sums = seen
    if isinstance(mechanism, NoisyCounts):
        noisy = seen.copy()
        noisy[~trained.ravel()] = 0.0
        if mechanism.variant == NOISE_AWARE:
            trace = latent.chain(
                rng, noisy, mechanism.scale(len(sizes)), SHARE, trained, held_out, offsets,
                model.states, model.alpha, model.beta, model.iterations, model.burn_in,
            )  # fmt: skip
            return _made(trace, np.exp(trace.log_emissions.T))
        emissions = np.maximum(noisy, 0.0)
        sums = noisy if mechanism.variant == SUM_THEN_CLIP else emissions
    elif isinstance(mechanism, OnePosteriorSample):
        floors, power = mechanism.floors(sizes), 1.0 / mechanism.temperature(sizes)
    trace = gibbs.chain(
        rng, emissions, sums, trained, held_out, offsets,
        model.states, model.alpha, model.beta, power, floors, model.iterations, model.burn_in,
    )  # fmt: skip
    if isinstance(mechanism, OnePosteriorSample):
        return _made(trace, np.exp(trace.log_emissions.T))
    totals = np.empty((model.states, seen.shape[1]))
    gibbs.sum_by_state(sums, trained, trace.states[-1].astype(np.int64), totals)
    return _made(trace, _means(np.maximum(totals, 0.0) + model.beta, sizes))


def _naive_bayes(
    seen: Array,
    sizes: tuple[int, ...],
    trained: Booleans,
    model: Model,
    mechanism: Mechanism,
    rng: np.random.Generator,
    held_out: Array,
) -> Fit:
    """One state: corpus-wide counts are all it needs, and all that gets noise."""
    from dpsampling.event_logs import gibbs  # loads numba, which only a fit needs

    floors, power = np.zeros(len(sizes)), 1.0
    if isinstance(mechanism, OnePosteriorSample):
        floors, power = mechanism.floors(sizes), 1.0 / mechanism.temperature(sizes)
    kept = model.iterations - model.burn_in
    own, log_theta = gibbs.naive_bayes(rng, seen, held_out, _offsets(sizes), model.beta, power, floors, kept)
    means = _means(np.maximum(seen, 0.0) + model.beta, sizes)
    probabilities = np.exp(log_theta.T) if isinstance(mechanism, OnePosteriorSample) else means
    states = np.zeros((kept, *trained.shape), np.int8)
    return Fit(states, probabilities, np.zeros(model.iterations), own, own)


def _offsets(sizes: tuple[int, ...]) -> Integers:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _made(trace: Any, probabilities: Array) -> Fit:
    return Fit(trace.states, probabilities, trace.log_joint, trace.mixture, trace.own)


def _means(shapes: Array, sizes: tuple[int, ...]) -> Array:
    """Dirichlet means, feature by feature."""
    sums = np.add.reduceat(shapes, _offsets(sizes)[:-1], axis=1)
    means: Array = shapes / np.repeat(sums, sizes, axis=1)
    return means


@cache
def _libraries() -> Any:
    # Loaded before the first chain and not before: the compiled code multiplies matrices with it.
    import scipy.linalg.cython_blas  # noqa: F401
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController()


@contextmanager
def _one_thread() -> Iterator[None]:
    """One thread for small matrix products: more of them are slower, and change the last bits."""
    with _libraries().limit(limits=1):
        yield
