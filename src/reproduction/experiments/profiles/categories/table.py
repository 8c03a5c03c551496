r"""Tables of Figures 7.3 and 7.4: cost_y = max_i |P_i(y) − Pr(output = y | P_i)| of eq. (7.9) against ε, on a chain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.profiles.duality import least_largest_flip
from dpsampling.profiles.graph import ProfileGraph, categorical, chain
from dpsampling.profiles.solvers import randomized_response, smooth_categorical
from reproduction.experiments.profiles.categories import SMOOTH, columns


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row an ε and category."""
    del rng  # nothing here is random
    profiles = categorical(params["categorical"], chain(len(params["categorical"])))
    made = of_program if params["mechanism"] == SMOOTH else of_response
    parts = [pd.DataFrame(made(profiles, epsilon)) for epsilon in sorted(params["epsilons"])]
    return pd.concat(parts, ignore_index=True)[list(columns(params))]


def of_response(profiles: ProfileGraph, epsilon: float) -> dict[str, Any]:
    """K-ary randomized response at one level."""
    costs = randomized_response(profiles, epsilon).costs
    return {"epsilon": epsilon, "category": np.arange(1, len(costs) + 1), "cost": costs}


def of_program(profiles: ProfileGraph, epsilon: float) -> dict[str, Any]:
    """The smooth mechanism at one level, beside the baseline and a bound of what can be had."""
    response, smooth = of_response(profiles, epsilon), smooth_categorical(profiles, epsilon)
    return {
        **response,
        "cost": smooth.costs,
        "baseline": response["cost"],
        "verified_epsilon": smooth.verified_epsilon,
        "largest": float(smooth.largest_flips.max()),
        "least": least_largest_flip(profiles, epsilon),
    }
