"""How many of K states a fit really uses: those that hold more than a share of the cells, or of the entries."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpsampling.event_logs import sweep
from dpsampling.event_logs.counts import EventCounts
from reproduction.experiments.warlogs.states_used import COLUMNS

LEAST, TENTH = 0.05, 0.1  # of the cells, or of the entries


def table(params: Mapping[str, Any], rng: np.random.Generator, inputs: Mapping[str, EventCounts]) -> pd.DataFrame:
    """Means over independent fits with their standard errors, each fit judged by its last sample.

    `states` hold over 5% of the cells, `by_entries` over 5% of the entries, `tenths` over 10% of the cells, and
    `occupied` any cell.
    """
    model = sweep.model_of(params, params["states"])
    rows = []
    for counts, everything, epsilon, mechanism in sweep.points(params, inputs):
        last = [
            sweep.run(counts, everything, model, mechanism, rng, f"used {i}").states[-1]
            for i in range(params["repeats"])
        ]
        cells = np.ones(counts.entries.shape)
        ways = ((cells, LEAST), (counts.entries, LEAST), (cells, TENTH), (cells, 0.0))
        means = [_mean([count_used(states, weights, least) for states in last]) for weights, least in ways]
        rows.append((counts.log, mechanism.name, mechanism.variant, epsilon, len(last), *chain(*means)))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def count_used(states: NDArray[Any], weights: NDArray[Any], least: float) -> int:
    """States whose cells hold more than this share of all weight."""
    held = np.bincount(states.ravel().astype(np.int64), weights=weights.ravel())
    return int((held > least * weights.sum()).sum())


def _mean(used: list[int]) -> tuple[float, float]:
    """The mean with its standard error."""
    return float(np.mean(used)), float(np.std(used, ddof=1) / math.sqrt(len(used)))
