r"""What a private hidden Markov model costs in ε, by how it is made private (§4.4.1 and §4.5).

Each Gibbs iteration has two updates: all states, and all emissions. The states of different cells see different
entries, and so do the emissions of different states, so that either update costs one entry's loss, by parallel
composition: 2Δ/T at temperature T, Δ = Σ_d ln(M K_d − K_d + 1).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.privacy.accounting import repeat
from dpsampling.privacy.guarantee import Pure
from dpsampling.warlogs import schema
from dpsampling.warlogs.mechanisms import NoisyCounts, OnePosteriorSample

COLUMNS = ("log", "mechanism", "setting", "updates", "per_update", "epsilon", "temperature")
ANY, CONVERGED, UNSURE = "whatever the chain does", "if the chain has converged", "if it may not have converged"
WHOLE, SAME, UNTEMPERED = "every sample released, same temperature", "every sample released at ε", "not tempered"


def table(params: Mapping[str, Any]) -> pd.DataFrame:
    """One row a way to spend, for each log; T = 0 stands for a mechanism without one."""
    rows = []
    for log in params["logs"]:
        sizes = tuple(len(feature.outcomes) for feature in schema.load(log).features)
        ops = OnePosteriorSample(params["epsilon"], params["multiplier"])
        updates = 2 * params["iterations"]
        temperature, loss = ops.temperature(sizes), 2.0 * ops.sensitivity(sizes)
        one = _level(ops.guarantee(sizes, params["iterations"]))
        every = _level(ops.unconverged(sizes, params["iterations"]))
        share = params["epsilon"] / updates
        noisy = _level(NoisyCounts(params["epsilon"]).guarantee(sizes, params["iterations"]))
        rows += [
            (log, "laplace", ANY, 1, noisy, noisy, 0.0),
            (log, "ops", CONVERGED, 1, one, one, temperature),
            (log, "ops", UNSURE, updates, one, every, temperature),
            (log, "private Gibbs", WHOLE, updates, one, every, temperature),
            (log, "private Gibbs", SAME, updates, share, _level(repeat(Pure(share), updates)), max(1.0, loss / share)),
            (log, "private Gibbs", UNTEMPERED, updates, loss, _level(repeat(Pure(loss), updates)), 1.0),
        ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _level(guarantee: Any) -> float:
    assert isinstance(guarantee, Pure)
    return guarantee.epsilon
