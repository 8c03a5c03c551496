"""How the linear programs of the smooth mechanisms grow (thesis section 7.5.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.figure import Figure

    from dpsampling.claims import Claim

ID = "profile_costs"
COLUMNS = (
    "setting",
    "profiles",
    "categories",
    "edges",
    "variables",
    "constraints",
    "nonzeros",
    "largest",
    "corruption",
)


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row a graph."""
    from dpsampling.experiments.chapter7 import sizes

    return sizes.table(params, rng)


def figure(table: pd.DataFrame) -> Figure:
    """Sizes against the number of profiles."""
    from dpsampling.experiments.chapter7 import sizes_figure

    return sizes_figure.draw(table, ID)


def claims(table: pd.DataFrame) -> list[Claim]:
    """k d² variables, flips within randomized response."""
    from dpsampling.experiments.chapter7 import sizes_claims

    return sizes_claims.judge(table, ID)
