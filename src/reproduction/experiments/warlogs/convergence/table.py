"""Whether the chains converge in 200 iterations: several chains on the same data, compared."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpsampling.event_logs import sweep
from dpsampling.event_logs.chains import fit
from dpsampling.event_logs.counts import EventCounts
from dpsampling.numerics import diagnostics
from dpsampling.numerics.randomness import substream
from reproduction.experiments.warlogs.convergence import AGREEMENT, COLUMNS, ESS, R_HAT


def table(params: Mapping[str, Any], rng: np.random.Generator, inputs: Mapping[str, EventCounts]) -> pd.DataFrame:
    """Chains share the noise of their mechanism and nothing else."""
    model = sweep.model_of(params, params["states"])
    rows = []
    for counts, everything, epsilon, mechanism in sweep.points(params, inputs):
        name = (counts.log, "converges", mechanism.name, epsilon)
        chains = []
        for i in range(params["chains"]):
            streams = {"noise": substream(rng, *name, "noise"), "rng": substream(rng, *name, mechanism.variant, i)}
            chains.append(fit(counts, everything, model, mechanism, **streams))
        kept = np.array([chain.log_joint[params["burn_in"] :] for chain in chains])
        pairs = [adjusted_rand(a.states[-1], b.states[-1]) for a, b in combinations(chains, 2)]
        values = {
            R_HAT: (diagnostics.split_r_hat(kept), None, None),
            ESS: (diagnostics.effective_size(kept) / len(chains) * 100.0 / kept.shape[1], None, None),
            AGREEMENT: (float(np.mean(pairs)), min(pairs), max(pairs)),
        }
        rows += [(counts.log, mechanism.name, mechanism.variant, epsilon, q, *v) for q, v in values.items()]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def adjusted_rand(a: NDArray[Any], b: NDArray[Any]) -> float:
    """The Rand index of two partitions of the same cells, 0 on average for unrelated ones and 1 for equal ones."""
    a, b = a.ravel().astype(np.int64), b.ravel().astype(np.int64)
    joint = np.zeros((a.max() + 1, b.max() + 1))
    np.add.at(joint, (a, b), 1.0)

    def pairs(counts: NDArray[np.float64]) -> float:
        return float((counts * (counts - 1.0) / 2.0).sum())

    together, first, second = pairs(joint), pairs(joint.sum(axis=1)), pairs(joint.sum(axis=0))
    chance = first * second / (a.size * (a.size - 1.0) / 2.0)
    most = (first + second) / 2.0
    return 1.0 if most == chance else (together - chance) / (most - chance)
