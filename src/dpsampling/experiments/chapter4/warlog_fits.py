"""Tables of the pictures: one private fit of all cells of one log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.warlogs import pictures
from dpsampling.warlogs.counts import EventCounts
from dpsampling.warlogs.mechanisms import Mechanism, NoisyCounts, OnePosteriorSample
from dpsampling.warlogs.pictures import Picture

LAST = "last sample"
USUAL = "last {} samples"
DISTRIBUTION = "distribution"


def mechanism_of(params: Mapping[str, Any]) -> Mechanism:
    """OPS if the parameters have a truncation multiplier M, else the Laplace mechanism."""
    if "multiplier" in params:
        return OnePosteriorSample(params["epsilon"], params["multiplier"])
    return NoisyCounts(params["epsilon"], params["variant"])


def fitted(
    params: Mapping[str, Any], rng: np.random.Generator, logs: Mapping[str, EventCounts]
) -> tuple[EventCounts, Picture]:
    """The log and its picture; experiments with the same parameters get the same one."""
    counts = logs[params["log"]]
    return counts, pictures.picture(counts, params, mechanism_of(params), rng)


def frequent_states(
    params: Mapping[str, Any], rng: np.random.Generator, logs: Mapping[str, EventCounts]
) -> pd.DataFrame:
    """region, month, state, frequency."""
    counts, found = fitted(params, rng, logs)
    return pictures.assignments(counts, found.usual).assign(frequency=found.frequency.ravel())


def one_state(
    params: Mapping[str, Any], rng: np.random.Generator, logs: Mapping[str, EventCounts], state: int
) -> pd.DataFrame:
    """state, feature, outcome, probability of one state."""
    counts, found = fitted(params, rng, logs)
    every = pictures.distributions(counts, found.probabilities)
    return every[every["state"] == min(state, params["states"])].reset_index(drop=True)


def two_estimates(params: Mapping[str, Any], rng: np.random.Generator, logs: Mapping[str, EventCounts]) -> pd.DataFrame:
    """estimate, region, month, state: most frequent in the kept samples, and in the last one."""
    counts, found = fitted(params, rng, logs)
    usual = USUAL.format(params["iterations"] - params["burn_in"])
    parts = [pictures.assignments(counts, s).assign(estimate=e) for e, s in ((usual, found.usual), (LAST, found.last))]
    return pd.concat(parts, ignore_index=True)


def everything(params: Mapping[str, Any], rng: np.random.Generator, logs: Mapping[str, EventCounts]) -> pd.DataFrame:
    """Assignments and distributions under one another; `kind` tells them apart."""
    counts, found = fitted(params, rng, logs)
    usual = USUAL.format(params["iterations"] - params["burn_in"])
    parts = [
        pictures.assignments(counts, found.usual).assign(kind=usual, frequency=found.frequency.ravel()),
        pictures.distributions(counts, found.probabilities).assign(kind=DISTRIBUTION),
    ]
    if "multiplier" in params:  # the Laplace mechanism's samples are all public, OPS releases the last one
        parts.insert(1, pictures.assignments(counts, found.last).assign(kind=LAST, frequency=1.0))
    return pd.concat(parts, ignore_index=True)
