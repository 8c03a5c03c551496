r"""Table of Figure 7.2: the flips that two Bernoulli profiles need, against p_j − p_i.

Two families of pairs: p_i = 0, and pairs symmetric about 1/2. For each pair there is the one common flip of Algorithm 6
(`two-profile`), the larger of the two flips of Algorithm 8 (`smooth`), and Warner's, which knows no profiles.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from dpsampling.profiles.graph import bernoulli
from dpsampling.profiles.solvers import cluster, response_flip, smooth_one_bit

MECHANISMS = ("two-profile", "smooth", "randomized-response")
SETTINGS = ("zero", "symmetric")


def table(params: Mapping[str, Any]) -> pd.DataFrame:
    """One row an ε, pair and mechanism."""
    rows = []
    for epsilon in sorted(params["epsilons"]):
        warner = response_flip(2, epsilon)
        for p, q in pairs(params):
            graph = bernoulli([p, q], [(0, 1)])
            flips = (
                float(cluster(graph, epsilon).largest_flips.max()),
                float(smooth_one_bit(graph, epsilon).largest_flips.max()),
                warner,
            )
            rows += [(epsilon, p, q, name, flip) for name, flip in zip(MECHANISMS, flips, strict=True)]
    return pd.DataFrame(rows, columns=["epsilon", "p_i", "p_j", "mechanism", "flip"])


def pairs(params: Mapping[str, Any]) -> Iterator[tuple[float, float]]:
    """(p_i, p_j) of both families, each once."""
    gaps = sorted(params["gaps"])
    yield from ((0.0, gap) for gap in gaps)
    yield from ((0.5 - gap / 2.0, 0.5 + gap / 2.0) for gap in gaps if gap < 1.0)  # the pair (0, 1) is in both


def family(table: pd.DataFrame, setting: str) -> pd.DataFrame:
    """The rows of one family, in the order of their gaps."""
    if setting == "zero":
        chosen = table[table["p_i"] == 0.0]
    else:
        chosen = table[(table["p_i"] + table["p_j"] - 1.0).abs() < 1e-12]
    return chosen.assign(gap=chosen["p_j"] - chosen["p_i"]).sort_values(["epsilon", "mechanism", "gap"])
