r"""Table of Figure 7.2: the flips that two Bernoulli profiles need, against p_j − p_i.

Two families of pairs: p_i = 0, and pairs symmetric about 1/2. For each pair there is the one common flip of Algorithm 6
(`two-profile`), the larger of the two flips of Algorithm 8 (`smooth`), and Warner's, which knows no profiles. The last
row is a pair that shows Observation 10 to be misprinted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.profiles.exact import ExactGraph
from dpsampling.profiles.graph import ProfileGraph, bernoulli
from dpsampling.profiles.rounding import raise_common_flip
from dpsampling.profiles.solvers import cluster, response_flip, smooth_one_bit, two_profile_flip
from reproduction.experiments.profiles.couplet import COLUMNS, COMMON, EXAMPLE, LOCAL, OWN

EXAMPLE_AT = (1.0, 0.9, 0.95)  # ε, p_i, p_j


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row an ε, pair and mechanism."""
    del rng  # nothing here is random
    rows: list[tuple[float | str, ...]] = []
    for epsilon in sorted(params["epsilons"]):
        warner = response_flip(2, epsilon)
        for p, q in pairs(params):
            own = float(smooth_one_bit(joined(p, q), epsilon).largest_flips.max())
            rows += [
                common(epsilon, p, q),
                (epsilon, p, q, OWN, own, math.nan, math.nan, math.nan),
                (epsilon, p, q, LOCAL, warner, math.nan, math.nan, math.nan),
            ]
    rows.append(common(*EXAMPLE_AT, name=EXAMPLE, as_printed=printed(*EXAMPLE_AT)))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def pairs(params: Mapping[str, Any]) -> Iterator[tuple[float, float]]:
    """(p_i, p_j) of both families, each once."""
    gaps = sorted(params["gaps"])
    yield from ((0.0, gap) for gap in gaps)
    yield from ((0.5 - gap / 2.0, 0.5 + gap / 2.0) for gap in gaps if gap < 1.0)  # the pair (0, 1) is in both


def joined(p: float, q: float) -> ProfileGraph:
    """Two profiles that must not be told apart."""
    return bernoulli([p, q], [(0, 1)])


def common(
    epsilon: float, p: float, q: float, *, name: str = COMMON, as_printed: float = math.nan
) -> tuple[float | str, ...]:
    """The row of Algorithm 6; `least`, raised from 0 until all constraints hold, knows nothing of the closed form."""
    graph = joined(p, q)
    flip = float(cluster(graph, epsilon).largest_flips.max())
    least = raise_common_flip(ExactGraph(graph, epsilon), np.array([0, 1]), 0.0)
    return epsilon, p, q, name, flip, least, two_profile_flip(p, q, epsilon), as_printed


def printed(epsilon: float, p: float, q: float) -> float:
    """The maximum of eq. (7.8) as it stands."""
    growth = math.exp(epsilon)
    gains = (q - growth * p, (1.0 - p) - growth * (1.0 - q))
    return max(0.0, *(gain / (2.0 * gain + growth - 1.0) for gain in gains))
