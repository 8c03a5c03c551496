r"""Tables of Figures 5.5–5.8: how well a private draw predicts held-out data.

In each run, X and X_H are n records each of a population ρ, and θ is one draw of each mechanism on X. What is averaged
is −ln Pr(X_H | θ); for Bernoulli trials with h successes

    −ln Pr(X_H | θ) = −ln C(n, h) − h ln p − (n − h) ln(1 − p),      p = e^θ/(1 + e^θ).

All mechanisms at all ε see the same data sets; their draws have streams of their own, named by population, mechanism
and ε. `scale` is r, m, or σ, and `exact` the expectation that the mean estimates, by summation, where there is one.
`horizon` is the order from which on the level of the posterior itself is infinite, found by halving.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.experiments.renyi.heldout import columns, populations
from dpsampling.experiments.renyi.heldout.exact import exact_mean
from dpsampling.experiments.renyi.setting import built, compared, levels_of, looks, setting_of
from dpsampling.mechanisms.base import Mechanism
from dpsampling.mechanisms.entry import Entry, Setting
from dpsampling.randomness import substream

HALVINGS, LARGEST = 45, 1e9  # of orders
UNDISTORTED = "direct"  # the posterior knows no ε: one set of draws serves all


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """Mean and standard deviation over the runs, for every population, mechanism and ε."""
    family, n, runs = setting_of(params).family, int(params["n"]), int(params["runs"])
    made = mechanisms(params)
    rows = []
    for rho in populations(params):
        data = substream(rng, "data", rho)
        statistics = family.simulate(rho, n, data, runs)
        held_out = family.simulate(rho, n, data, runs)
        direct: tuple[float, float, float] | None = None
        for (name, epsilon), (entry, mechanism) in made.items():
            scale = entry.scale_of(mechanism)
            if name == UNDISTORTED and direct is not None:
                rows.append((rho, name, epsilon, *direct[:2], scale, direct[2]))
                continue
            draws = substream(rng, "draws", rho, name, *(() if name == UNDISTORTED else (epsilon,)))
            score = -family.log_likelihood(held_out, n, mechanism.simulate(statistics, draws))
            found = float(np.mean(score)), float(np.std(score, ddof=1)), exact_mean(mechanism, rho)
            direct = found if name == UNDISTORTED else direct
            rows.append((rho, name, epsilon, *found[:2], scale, found[2]))
    table = pd.DataFrame(rows, columns=["rho", "mechanism", "epsilon", "mean", "sd", "scale", "exact"])
    if "horizon" in columns(params):
        table["horizon"] = horizon(setting_of(params))
    table.attrs["looks"] = looks(compared(params))
    return table[list(columns(params))]


def horizon(setting: Setting) -> float:
    """The least order, to HALVINGS bits, at which two neighbours diverge by infinity."""
    low, high = 1.0, 2.0
    while high < LARGEST and math.isfinite(_level(setting, high)):
        low, high = high, 2.0 * high
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if math.isfinite(_level(setting, middle)) else (low, middle)
    return high if high < LARGEST else math.inf


def _level(setting: Setting, order: float) -> float:
    return float(setting.family.worst_case_divergence(setting.prior, setting.n, order))


def mechanisms(params: Mapping[str, Any]) -> dict[tuple[str, float], tuple[Entry, Mechanism]]:
    """Every mechanism that is compared, at every ε."""
    setting, (order, epsilons) = setting_of(params), levels_of(params)
    return {
        (entry.name, epsilon): (entry, mechanism)
        for entry in compared(params)
        for epsilon, mechanism in zip(epsilons, built(entry, setting, order, epsilons), strict=True)
    }
