"""A fitted model as a picture: the state of every cell, and what each state emits.

States have no names of their own. They are numbered by how often an entry of theirs hurts civilians, or, in a log
without such a feature, by how many cells they fill; so that state 1 is the calmest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpsampling.event_logs import sweep
from dpsampling.event_logs.counts import EventCounts
from dpsampling.event_logs.described import Described
from dpsampling.event_logs.mechanisms import Mechanism, OnePosteriorSample

ORDERED_BY = "civilian"


@dataclass(frozen=True)
class Picture:
    """States are numbered from 1; K states, J outcomes."""

    usual: NDArray[np.int64]  # (regions, months): the most frequent state of the kept samples
    frequency: NDArray[np.float64]  # how frequent
    last: NDArray[np.int64]  # the last sample's states
    probabilities: NDArray[np.float64]  # (K, J)


def picture(counts: EventCounts, params: Mapping[str, Any], mechanism: Mechanism, rng: np.random.Generator) -> Picture:
    """Fit all cells of a log and number the states."""
    everything = np.ones(counts.entries.shape, dtype=bool)
    found = sweep.run(counts, everything, sweep.model_of(params, params["states"]), mechanism, rng, "picture")
    return arranged(counts, found.states, found.probabilities, released=released(mechanism))


def released(mechanism: Mechanism) -> slice:
    """Which of the kept samples a mechanism releases: OPS the last one, the others all."""
    return slice(-1, None) if isinstance(mechanism, OnePosteriorSample) else slice(None)


def arranged(
    counts: Described, states: NDArray[np.int8], probabilities: NDArray[np.float64], *, released: slice
) -> Picture:
    """States in order; the order is read off released samples alone, for it is released with them."""
    k = probabilities.shape[0]
    votes = (states[..., None] == np.arange(k)).mean(axis=0)
    shown = (states[released][..., None] == np.arange(k)).mean(axis=0)
    order = ordered(counts, shown.sum(axis=(0, 1)), probabilities)
    votes = votes[..., order]
    rank = np.argsort(order, kind="stable")
    return Picture(votes.argmax(axis=-1) + 1, votes.max(axis=-1), rank[states[-1]] + 1, probabilities[order])


def ordered(counts: Described, filled: NDArray[np.float64], probabilities: NDArray[np.float64]) -> NDArray[np.int64]:
    """The states from the first to the last; `filled` is how many cells each of them fills."""
    if ORDERED_BY in counts.features:
        hurt = int(counts.offsets[counts.features.index(ORDERED_BY) + 1]) - 1
        return np.argsort(probabilities[:, hurt], kind="stable")
    return np.argsort(-filled, kind="stable")


def assignments(counts: EventCounts, states: NDArray[np.int64]) -> pd.DataFrame:
    """region, month, state: one row a cell."""
    places = np.indices(states.shape).reshape(2, -1)
    return pd.DataFrame(
        {
            "region": [counts.regions[r] for r in places[0]],
            "month": [counts.months[t] for t in places[1]],
            "state": states.ravel(),
        }
    )


def distributions(counts: EventCounts, probabilities: NDArray[np.float64]) -> pd.DataFrame:
    """state, feature, outcome, probability: one row an outcome of a state."""
    named = [(f, o) for f, outcomes in zip(counts.features, counts.outcomes, strict=True) for o in outcomes]
    rows = [(k + 1, f, o, p) for k, row in enumerate(probabilities) for (f, o), p in zip(named, row, strict=True)]
    return pd.DataFrame(rows, columns=["state", "feature", "outcome", "probability"])
