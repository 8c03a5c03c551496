r"""Tables of Figures 7.5–7.8: Pr(output = 1) against ε for a chain of Bernoulli profiles evenly on [0, 1]."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.profiles import symmetric_chain
from dpsampling.profiles.graph import ProfileGraph, bernoulli, chain
from dpsampling.profiles.solvers import cluster, randomized_response, smooth_one_bit
from reproduction.experiments.profiles.chains import SMOOTH, columns


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row a profile and ε."""
    del rng  # nothing here is random
    size = int(params["chain"])
    profiles = bernoulli(np.arange(size) / (size - 1), chain(size))
    made = of_program if params["mechanism"] == SMOOTH else of_response
    parts = [pd.DataFrame(made(profiles, epsilon)) for epsilon in sorted(params["epsilons"])]
    return pd.concat(parts)[list(columns(params))].sort_values(["profile", "epsilon"], ignore_index=True)


def of_response(profiles: ProfileGraph, epsilon: float) -> dict[str, Any]:
    """Warner's randomized response at one level."""
    return _record(profiles, epsilon) | {"probability": randomized_response(profiles, epsilon).laws[:, 1]}


def of_program(profiles: ProfileGraph, epsilon: float) -> dict[str, Any]:
    """The smooth mechanism at one level, from the program and in closed form."""
    smooth = smooth_one_bit(profiles, epsilon)
    return _record(profiles, epsilon) | {
        "probability": smooth.laws[:, 1],
        "closed_form": symmetric_chain.ones(profiles.probabilities[:, 1], epsilon),
        "verified_epsilon": smooth.verified_epsilon,
        "flip": smooth.largest_flips,
        "cluster_flip": cluster(profiles, epsilon).largest_flips,
    }


def _record(profiles: ProfileGraph, epsilon: float) -> dict[str, Any]:
    p = profiles.probabilities[:, 1]
    return {"profile": np.arange(1, len(p) + 1), "p": p, "epsilon": epsilon}
