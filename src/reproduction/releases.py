"""The ledger of an experiment as a table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from dpsampling.privacy.accounting import to_approximate
from dpsampling.privacy.guarantee import Renyi

if TYPE_CHECKING:
    from dpsampling.privacy.ledger import Release

COLUMNS = (
    "experiment",
    "data",
    "mechanism",
    "protects",
    "releases",
    "notion",
    "relation",
    "order",
    "epsilon",
    "horizon",
    "delta",
    "epsilon_at_delta",
    "conditions",
)
EVALUATION = "nothing: evaluation with a public seed"  # what fits of the pipeline protect, whatever they are priced at
DELTA = 1e-6  # the δ at which every guarantee is also stated


def frame(experiment: str, releases: Sequence[Release]) -> pd.DataFrame:
    """One row a release: what its mechanism promises by itself, at its order and at (ε, DELTA).

    Everything an experiment draws can be drawn again by whoever reads its seed, so that none of it protects anybody.
    """
    rows = []
    converted: dict[int, float] = {}  # releases on several data sets share a guarantee, whose conversion takes a while
    for r in releases:
        g = r.guarantee
        if isinstance(g, Renyi):
            order, horizon, epsilon = r.order, g.horizon, g.epsilon(r.order) if r.order else None
        else:
            order, horizon, epsilon = None, None, g.epsilon
        if id(g) not in converted:
            converted[id(g)] = to_approximate(g, DELTA).epsilon
        notion, conditions = re.sub("(?<!^)(?=[A-Z])", "-", type(g).__name__).lower(), "; ".join(g.conditions)
        rows.append(
            (
                experiment,
                r.data,
                r.mechanism,
                EVALUATION,
                r.count,
                notion,
                g.relation.value,
                order,
                epsilon,
                horizon,
                DELTA,
                converted[id(g)],
                conditions,
            )
        )
    return pd.DataFrame(rows, columns=list(COLUMNS))
