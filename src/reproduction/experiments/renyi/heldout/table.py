r"""Tables of Figures 5.5–5.8: how well a private draw predicts held-out data.

In each run, X and X_H are n records each of a population ρ, and θ is one draw of each mechanism on X. What is averaged
is −ln Pr(X_H | θ); for Bernoulli trials with h successes

    −ln Pr(X_H | θ) = −ln C(n, h) − h ln p − (n − h) ln(1 − p),      p = e^θ/(1 + e^θ).

All mechanisms at all ε see the same data sets; their draws have streams of their own, named by population, mechanism
and ε. `q05` to `q95` are quantiles over the runs, `scale` is r, m, or σ, and `exact` the expectation that the mean
estimates, by summation, where there is one. Between the ε of the runs are more, with 0 runs, that have it alone.
`horizon` is the order from which on the level of the posterior itself is infinite, found by halving.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpsampling.mechanisms.base import Mechanism
from dpsampling.mechanisms.entry import Entry, Setting
from dpsampling.numerics.randomness import substream
from reproduction.experiments.renyi.heldout import QUANTILES, UNDISTORTED, columns, populations
from reproduction.experiments.renyi.heldout.exact import exact_mean
from reproduction.experiments.renyi.setting import built, compared, levels_of, setting_of

HALVINGS, LARGEST = 45, 1e9  # of orders
BETWEEN = 9  # ε with an expectation alone, between two with runs


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """Mean and spread over the runs, for every population, mechanism and ε."""
    family, n, runs = setting_of(params).family, int(params["n"]), int(params["runs"])
    finer = between(levels_of(params)[1])
    made, curves = mechanisms(params), mechanisms(params, finer) if finer else {}
    rows: list[dict[str, Any]] = []
    for rho in populations(params):
        data = substream(rng, "data", rho)
        statistics = family.simulate(rho, n, data, runs)
        held_out = family.simulate(rho, n, data, runs)
        direct: dict[str, float] | None = None
        for (name, epsilon), (entry, mechanism) in made.items():
            row = {"rho": rho, "mechanism": name, "epsilon": epsilon, "runs": runs, "scale": entry.scale_of(mechanism)}
            if name == UNDISTORTED and direct is not None:
                rows.append(row | direct)
                continue
            draws = substream(rng, "draws", rho, name, *(() if name == UNDISTORTED else (epsilon,)))
            score = -family.log_likelihood(held_out, n, mechanism.simulate(statistics, draws))
            scores = description(score) | {"exact": exact_mean(mechanism, rho)}
            direct = scores if name == UNDISTORTED else direct
            rows.append(row | scores)
        for (name, epsilon), (entry, mechanism) in curves.items():
            expected = direct["exact"] if name == UNDISTORTED and direct else exact_mean(mechanism, rho)
            if not np.isnan(expected):
                row = {"rho": rho, "mechanism": name, "epsilon": epsilon, "runs": 0}
                rows.append(row | {"scale": entry.scale_of(mechanism), "exact": expected})
    table = pd.DataFrame(rows, columns=list({"rho": float} | columns(params)))
    if "horizon" in columns(params):
        table["horizon"] = horizon(setting_of(params))
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


def description(score: NDArray[np.float64]) -> dict[str, float]:
    """Return mean, standard deviation and quantiles of the runs' scores."""
    quantiles = np.quantile(score, list(QUANTILES.values()))
    return {"mean": float(np.mean(score)), "sd": float(np.std(score, ddof=1))} | dict(
        zip(QUANTILES, quantiles.tolist(), strict=True)
    )


def between(epsilons: Sequence[float]) -> list[float]:
    """ε's evenly on a logarithmic axis between those of the runs."""
    return [float(e) for low, high in pairwise(epsilons) for e in np.geomspace(low, high, BETWEEN + 2)[1:-1]]


def mechanisms(
    params: Mapping[str, Any], epsilons: Sequence[float] | None = None
) -> dict[tuple[str, float], tuple[Entry, Mechanism]]:
    """Every mechanism that is compared, at every ε; at those of the runs unless others are given."""
    setting, (order, levels) = setting_of(params), levels_of(params)
    levels = levels if epsilons is None else list(epsilons)
    return {
        (entry.name, epsilon): (entry, mechanism)
        for entry in compared(params)
        for epsilon, mechanism in zip(levels, built(entry, setting, order, levels), strict=True)
    }
