"""Whether a fit finds the states that the simulator planted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpsampling.event_logs import counts, schema, simulator, sweep
from dpsampling.event_logs.mechanisms import NonPrivate
from dpsampling.numerics.randomness import substream
from reproduction.experiments.warlogs.states_recovered import COLUMNS


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """A new simulated log for every replicate, and one non-private fit of it."""
    model = sweep.model_of(params, params["states"])
    rows = []
    for log in params["logs"]:
        described = schema.load(log)
        for replicate in range(params["repeats"]):
            seed = int(substream(rng, "simulate", log, replicate).integers(2**63))
            simulated = simulator.simulate(described, seed, params["rows"])
            counted = counts.of_simulated(simulated)
            everything = np.ones(counted.entries.shape, dtype=bool)
            fit = sweep.run(counted, everything, model, NonPrivate(), rng, f"planted {replicate}")
            rows.append((log, replicate, recovered(fit.states, simulated.planted)))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def recovered(states: NDArray[np.int8], planted: NDArray[Any]) -> float:
    """The share of cells whose fitted state, the most frequent one of the samples, stands for their planted state.

    A fitted state stands for the planted one that is most frequent among its cells: a fit with more states than were
    planted may split them.
    """
    usual = (states[..., None] == np.arange(int(states.max()) + 1)).mean(axis=0).argmax(axis=-1).ravel()
    truth = planted.ravel().astype(np.int64)
    joint = np.zeros((usual.max() + 1, truth.max() + 1), np.int64)
    np.add.at(joint, (usual, truth), 1)
    return float(joint.max(axis=1).sum()) / truth.size
