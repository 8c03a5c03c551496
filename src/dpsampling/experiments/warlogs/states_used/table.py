"""How many of K states a fit really uses: those that hold more than a share of the cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.experiments.warlogs.states_used import COLUMNS
from dpsampling.warlogs import sweep
from dpsampling.warlogs.counts import EventCounts

LEAST = 0.05  # of the cells


def table(params: Mapping[str, Any], rng: np.random.Generator, inputs: Mapping[str, EventCounts]) -> pd.DataFrame:
    """Means over independent fits, each judged by its last sample."""
    model = sweep.model_of(params, params["states"])
    rows = []
    for counts, everything, epsilon, mechanism in sweep.points(params, inputs):
        used = [
            count_used(sweep.run(counts, everything, model, mechanism, rng, f"used {i}").states[-1])
            for i in range(params["repeats"])
        ]
        rows.append((counts.log, mechanism.name, mechanism.variant, epsilon, float(np.mean(used))))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def count_used(states: np.ndarray[Any, Any]) -> int:
    """States that hold more than `LEAST` of the cells."""
    return int((np.bincount(states.ravel().astype(np.int64)) > LEAST * states.size).sum())
