"""Table 7.1: the profiles of the categorical chain, reconstructed (thesis section 7.6.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.figure import Figure

    from dpsampling.claims import Claim

ID = "tab7_1"
COLUMNS = ("profile", "category", "probability")


def check(params: Mapping[str, Any]) -> None:
    """Profiles that make a graph."""
    from dpsampling.experiments.chapter7 import categories

    categories.check(params)


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row a profile and category."""
    from dpsampling.experiments.chapter7 import tabulated

    del rng  # nothing here is random
    return tabulated.table(params)


def figure(table: pd.DataFrame) -> Figure:
    """The table as a table."""
    from dpsampling.experiments.chapter7 import tabulated_figure

    return tabulated_figure.draw(table)


def claims(table: pd.DataFrame) -> list[Claim]:
    """What is known of the lost numbers."""
    from dpsampling.experiments.chapter7 import tabulated_claims

    return tabulated_claims.judge(table)
