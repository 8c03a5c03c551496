"""Logs simulated from the very hidden Markov model with parameters that are planted, and their noisy counts."""

from dataclasses import dataclass

import numpy as np

from dpsampling.event_logs.counts import EventCounts
from dpsampling.event_logs.posterior import Noisy


@dataclass(frozen=True)
class Planted:
    """The truth, and the noisy counts of it."""

    transitions: np.ndarray  # (K + 1, K), the start row last
    emissions: np.ndarray  # (K, J)
    states: np.ndarray  # (regions, steps)
    rates: np.ndarray  # (C,)
    noisy: Noisy


def planted(
    rng: np.random.Generator,
    *,
    states: int,
    sizes: tuple[int, ...],
    regions: int,
    steps: int,
    scale: float,
    shape: float,
    rate: float,
    stay: float = 0.0,
    stated: float | None = None,
    whole: bool = False,
) -> Planted:
    """Dirichlet(1) rows and emissions, Gamma(shape, rate) events a cell, Poisson counts, two-sided geometric noise.

    `stay` is added to the Dirichlet parameters of staying; `stated` is the scale that the model is told. In a `whole`
    log each event has one outcome of every feature, as events have; the model takes features for independent.
    """
    own = np.vstack([1.0 + stay * np.eye(states), np.ones(states)])
    transitions = np.array([rng.dirichlet(row) for row in own])
    emissions = np.concatenate([rng.dirichlet(np.ones(size), size=states) for size in sizes], axis=1)
    z = np.empty((regions, steps), int)
    for r in range(regions):
        previous = states
        for t in range(steps):
            previous = z[r, t] = rng.choice(states, p=transitions[previous])
    rates = rng.gamma(shape, 1.0 / rate, size=regions * steps)
    if whole:
        events = rng.poisson(rates)
        parts = np.split(emissions[z.ravel()], np.cumsum(sizes)[:-1], axis=1)
        counts = np.concatenate(
            [[rng.multinomial(n, p / p.sum()) for n, p in zip(events, part, strict=True)] for part in parts], axis=1
        )
    else:
        counts = rng.poisson(rates[:, None] * emissions[z.ravel()])
    share = -np.expm1(-1.0 / scale)
    noise = rng.geometric(share, counts.shape) - rng.geometric(share, counts.shape)
    noisy = Noisy((counts + noise).astype(float), scale if stated is None else stated, regions, sizes)
    return Planted(transitions, emissions, z, rates, noisy)


def small(regions=2, months=6, entries=20, seed=0) -> EventCounts:
    """A log of two features, with as many entries in every cell."""
    rng = np.random.default_rng(seed)
    a = rng.multinomial(entries, [0.5, 0.3, 0.2], size=(regions, months))
    return EventCounts(
        "small",
        "Small",
        "simulated",
        tuple("abcdefgh"[:regions]),
        tuple(f"2004-{t + 1:02d}" for t in range(months)),
        ("kind", "civilian"),
        (("x", "y", "other"), ("none", "some")),
        np.concatenate([a, rng.multinomial(entries, [0.9, 0.1], size=(regions, months))], axis=2).astype(np.int64),
    )
