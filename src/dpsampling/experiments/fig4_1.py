"""Figure 4.1: densities of p under the posterior, OPS, and the Laplace mechanism (thesis section 4.3.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.figure import Figure

    from dpsampling.claims import Claim

ID = "fig4_1"
COLUMNS = ("mechanism", "draw", "p", "density")


def check(params: Mapping[str, Any]) -> None:
    """A Beta prior has two parameters."""
    from dpsampling.experiments.checks import beta_prior

    beta_prior(params)


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row a mechanism, draw and p."""
    from dpsampling.experiments.chapter4 import densities

    return densities.table(params, rng)


def figure(table: pd.DataFrame) -> Figure:
    """The three kinds of density."""
    from dpsampling.experiments.chapter4 import densities_figure

    return densities_figure.draw(table, ID)


def claims(table: pd.DataFrame) -> list[Claim]:
    """What the text says of this figure."""
    from dpsampling.experiments.chapter4 import densities_claims

    return densities_claims.judge(table, ID)
