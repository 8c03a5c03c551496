r"""Tables of Figures 7.3 and 7.4: cost_y = max_i |P_i(y) − Pr(output = y | P_i)| of eq. (7.9) against ε, on a chain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.profiles.graph import ProfileGraph, categorical, chain
from dpsampling.profiles.solvers import randomized_response, smooth_categorical

SOLVE = {"baseline": randomized_response, "ours": smooth_categorical}


def graph(params: Mapping[str, Any]) -> ProfileGraph:
    """The profiles of Table 7.1, each joined with the next."""
    return categorical(params["categorical"], chain(len(params["categorical"])))


def table(which: str, params: Mapping[str, Any]) -> pd.DataFrame:
    """One row an ε and category."""
    profiles = graph(params)
    rows = []
    for epsilon in sorted(params["epsilons"]):
        costs = SOLVE[which](profiles, epsilon).costs
        rows += [(epsilon, category, float(cost)) for category, cost in enumerate(costs, start=1)]
    return pd.DataFrame(rows, columns=["epsilon", "category", "cost"])


def check(params: Mapping[str, Any]) -> None:
    """Profiles that make a graph."""
    graph(params)
