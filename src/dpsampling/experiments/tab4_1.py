"""Table 4.1: the properties of the Laplace mechanism and of OPS, every cell computed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.figure import Figure

    from dpsampling.claims import Claim

ID = "tab4_1"
COLUMNS = ("mechanism", "property", "value")


def check(params: Mapping[str, Any]) -> None:
    """A Beta prior has two parameters."""
    from dpsampling.experiments.checks import beta_prior, exact_noise

    beta_prior(params)
    exact_noise(params)


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row a mechanism and property."""
    from dpsampling.experiments.chapter4 import comparison

    del rng  # nothing here is random
    return comparison.table(params)


def figure(table: pd.DataFrame) -> Figure:
    """The table as a table."""
    from dpsampling.experiments.chapter4 import comparison_figure

    return comparison_figure.draw(table, ID)


def claims(table: pd.DataFrame) -> list[Claim]:
    """The cells of the table."""
    from dpsampling.experiments.chapter4 import comparison_claims

    return comparison_claims.judge(table, ID)
