r"""Tables of Figures 7.5–7.8: Pr(output = 1) against ε for a chain of Bernoulli profiles evenly on [0, 1]."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.profiles.graph import ProfileGraph, bernoulli, chain
from dpsampling.profiles.solvers import randomized_response, smooth_one_bit

SOLVE = {"baseline": randomized_response, "ours": smooth_one_bit}


def graph(params: Mapping[str, Any]) -> ProfileGraph:
    """Bernoulli-Chain-k."""
    size = int(params["chain"])
    return bernoulli(np.arange(size) / (size - 1), chain(size))


def table(which: str, params: Mapping[str, Any]) -> pd.DataFrame:
    """One row a profile and ε."""
    profiles = graph(params)
    p = profiles.probabilities[:, 1].tolist()
    rows = []
    for epsilon in sorted(params["epsilons"]):
        ones = SOLVE[which](profiles, epsilon).laws[:, 1]
        rows += [(i, p[i - 1], epsilon, float(one)) for i, one in enumerate(ones, start=1)]
    frame = pd.DataFrame(rows, columns=["profile", "p", "epsilon", "probability"])
    return frame.sort_values(["profile", "epsilon"], ignore_index=True)
