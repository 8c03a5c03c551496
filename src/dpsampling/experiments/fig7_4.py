"""Figure 7.4: cost per category against ε, the smooth categorical mechanism (thesis section 7.6.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.figure import Figure

    from dpsampling.claims import Claim

ID = "fig7_4"
COLUMNS = ("epsilon", "category", "cost")


def check(params: Mapping[str, Any]) -> None:
    """Profiles that make a graph."""
    from dpsampling.experiments.chapter7 import categories

    categories.check(params)


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row an ε and category."""
    from dpsampling.experiments.chapter7 import categories

    del rng  # nothing here is random
    return categories.table("ours", params)


def figure(table: pd.DataFrame) -> Figure:
    """A curve a category."""
    from dpsampling.experiments.chapter7 import categories_figure

    return categories_figure.draw(table, ID)


def claims(table: pd.DataFrame) -> list[Claim]:
    """What section 7.6.2 says of this figure."""
    from dpsampling.experiments.chapter7 import categories_claims

    return categories_claims.judge_ours(table, ID)
