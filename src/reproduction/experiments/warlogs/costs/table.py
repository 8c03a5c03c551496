r"""What a private hidden Markov model costs in ε, by how it is made private (§4.4.1 and §4.5).

Each Gibbs iteration has two updates: all states, and all emissions. The states of different cells see different
entries, and so do the emissions of different states, so that either update costs one entry's loss, by parallel
composition: 2Δ/T at temperature T, Δ = Σ_d ln(M K_d − K_d + 1).

`searched` is ε again without these formulas. For noisy counts, it is the largest distance of two logs' counts that is
found among an entry's replacements, over the noise's scale. For an update, replacing an entry tilts its law by
r^{1/T}, where r is the ratio of the entry's probabilities, after over before: a state's law by r under its emissions,
that of emissions by their own r. The loss, (ln r − T ln E r^{1/T})/T, is at most the range of ln r over T, and as near
to it as you like where the law before sits at the smallest r. That range is searched over the corners of the truncated
simplices.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.event_logs import schema
from dpsampling.event_logs.mechanisms import NoisyCounts, OnePosteriorSample
from dpsampling.event_logs.names import LAPLACE, OPS, PRIVATE_GIBBS
from dpsampling.mechanisms import tempering
from dpsampling.privacy.accounting import repeat
from dpsampling.privacy.guarantee import Pure
from reproduction.experiments.warlogs.costs import ANY, COLUMNS, CONVERGED, SAME, UNSURE, UNTEMPERED, WHOLE


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row a way to spend, for each log; T = 0 stands for a mechanism without one."""
    del rng  # nothing here is random
    rows = []
    for log in params["logs"]:
        sizes = tuple(len(feature.outcomes) for feature in schema.load(log).features)
        ops, noise = OnePosteriorSample(params["epsilon"], params["multiplier"]), NoisyCounts(params["epsilon"])
        updates = 2 * params["iterations"]
        temperature, delta = ops.temperature(sizes), ops.sensitivity(sizes)
        single, every = _level(ops.guarantee(sizes, 1)), _level(ops.guarantee(sizes, updates))
        loss, share = tempering.cost(delta), params["epsilon"] / updates
        slow, spent = tempering.temperature(delta, share), min(share, loss)
        noisy = _level(noise.guarantee(sizes, updates))
        most = largest_loss(sizes, params["multiplier"])
        moved = largest_move(sizes) / noise.scale(len(sizes))
        rows += [
            (log, LAPLACE, ANY, 1, noisy, noisy, 0.0, moved),
            (log, OPS, CONVERGED, 1, single, single, temperature, most / temperature),
            (log, OPS, UNSURE, updates, single, every, temperature, updates * most / temperature),
            (log, PRIVATE_GIBBS, WHOLE, updates, single, every, temperature, updates * most / temperature),
            (log, PRIVATE_GIBBS, SAME, updates, spent, _sum(spent, updates), slow, updates * most / slow),
            (log, PRIVATE_GIBBS, UNTEMPERED, updates, loss, _sum(loss, updates), 1.0, updates * most),
        ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def largest_loss(sizes: Sequence[int], multiplier: float) -> float:
    """Return T times an update's largest loss: the range of ln r over corners, of each feature's worst replacement."""
    total = []
    for k in sizes:
        floor = 1.0 / (multiplier * k)
        corners = np.full((k, k), floor)
        np.fill_diagonal(corners, 1.0 - (k - 1) * floor)
        logs = np.log(corners)
        total.append(max(float(np.ptp(logs[:, after] - logs[:, 0])) for after in range(k)))
    return math.fsum(total)


def largest_move(sizes: Sequence[int]) -> float:
    """Return how far a replacement moves the counts, at most: to the same cell or another, and to any outcome."""

    def counts(k: int, cell: int, outcome: int) -> np.ndarray[Any, np.dtype[np.float64]]:
        single = np.zeros((2, k))
        single[cell, outcome] = 1.0
        return single

    return max(
        sum(max(float(np.abs(counts(k, 0, 0) - counts(k, cell, j)).sum()) for j in range(k)) for k in sizes)
        for cell in (0, 1)
    )


def _sum(epsilon: float, updates: int) -> float:
    return _level(repeat(Pure(epsilon), updates))


def _level(guarantee: Any) -> float:
    assert isinstance(guarantee, Pure)
    return guarantee.epsilon
