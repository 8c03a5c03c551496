"""One private fit of all cells of one log, by what is shown of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.event_logs import pictures
from dpsampling.event_logs.counts import EventCounts
from dpsampling.event_logs.pictures import Picture
from reproduction.experiments.warlogs import pictures as said
from reproduction.experiments.warlogs.pictures.mechanism import mechanism_of


def table(params: Mapping[str, Any], rng: np.random.Generator, inputs: Mapping[str, EventCounts]) -> pd.DataFrame:
    """The view; experiments of one stream and with the same model show the same fit."""
    counts = inputs[params["log"]]
    picture = pictures.picture(counts, params, mechanism_of(params), rng)
    return VIEWS[params["view"]](counts, picture, params)


def _states(counts: EventCounts, picture: Picture, params: Mapping[str, Any]) -> pd.DataFrame:
    """One row a cell."""
    del params
    return pictures.assignments(counts, picture.usual).assign(frequency=picture.frequency.ravel())


def _distributions(counts: EventCounts, picture: Picture, params: Mapping[str, Any]) -> pd.DataFrame:
    """One row an outcome of the one state."""
    every = pictures.distributions(counts, picture.probabilities)
    return every[every["state"] == params["state"]].reset_index(drop=True)


def _estimates(counts: EventCounts, picture: Picture, params: Mapping[str, Any]) -> pd.DataFrame:
    """One row a cell and estimate: most frequent in the kept samples, and in the last one."""
    named = ((_usual(params), picture.usual), (said.LAST, picture.last))
    return pd.concat([pictures.assignments(counts, s).assign(estimate=e) for e, s in named], ignore_index=True)


def _everything(counts: EventCounts, picture: Picture, params: Mapping[str, Any]) -> pd.DataFrame:
    """Assignments have no outcome, distributions no cell."""
    parts = [
        pictures.assignments(counts, picture.usual).assign(kind=_usual(params), frequency=picture.frequency.ravel()),
        pictures.distributions(counts, picture.probabilities).assign(kind=said.DISTRIBUTION),
    ]
    if "multiplier" in params:  # the Laplace mechanism's samples are all public, OPS releases the last one
        parts.insert(1, pictures.assignments(counts, picture.last).assign(kind=said.LAST, frequency=1.0))
    return pd.concat(parts, ignore_index=True)


def _usual(params: Mapping[str, Any]) -> str:
    return said.USUAL.format(params["iterations"] - params["burn_in"])


VIEWS = {
    said.STATES: _states,
    said.DISTRIBUTIONS: _distributions,
    said.ESTIMATES: _estimates,
    said.EVERYTHING: _everything,
}
