"""Held-out scores against ε, with means and standard errors over splits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.event_logs import splits, sweep
from dpsampling.event_logs.counts import EventCounts
from dpsampling.event_logs.mechanisms import Mechanism, NoisyCounts, NonPrivate
from dpsampling.event_logs.names import HIDDEN_MARKOV


def table(
    params: Mapping[str, Any], rng: np.random.Generator, inputs: Sequence[pd.DataFrame] | Mapping[str, EventCounts]
) -> pd.DataFrame:
    """Scores of all mechanisms, which were made before by log and ε; or, given counts, the ways to use noisy ones."""
    return variants(params, rng, inputs) if isinstance(inputs, Mapping) else gathered(params, inputs)


def gathered(params: Mapping[str, Any], parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Means over splits, in the order of the parameters whatever the order of the parts."""
    table = sweep.gather(parts)
    wanted = [math.inf, *map(float, params["epsilons"])]
    order = {log: i for i, log in enumerate(params["logs"])}
    kept = table[table["log"].isin(order) & table["epsilon"].isin(wanted)]
    key = kept["log"].map(order) * 1e9 + kept["epsilon"].map({e: i for i, e in enumerate(wanted)})
    return kept.loc[key.sort_values(kind="stable").index].reset_index(drop=True)


def variants(params: Mapping[str, Any], rng: np.random.Generator, logs: Mapping[str, EventCounts]) -> pd.DataFrame:
    """The ways to use the same noisy counts, beside the true ones."""
    held = []
    model = sweep.model_of(params, params["states"])
    for log in params["logs"]:
        trained = splits.draw(logs[log], params["splits"], params["share"], rng)
        noisy: list[Mechanism] = [NoisyCounts(e, v) for e in params["epsilons"] for v in params["variants"]]
        for mechanism in [NonPrivate(), *noisy]:
            for split, mask in enumerate(trained):
                fit = sweep.run(logs[log], mask, model, mechanism, rng, split)
                named = (log, HIDDEN_MARKOV, mechanism.name, mechanism.variant, float(mechanism.epsilon), split)
                held.append(sweep.Held(*named, int(logs[log].entries[~mask].sum()), fit.mixture, fit.own))
    return sweep.gather([sweep.evaluate(held)])
