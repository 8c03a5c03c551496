"""Figure 5.1: levels ε(λ) of Algorithm 2, the diffused posterior, at a few scales (thesis section 5.4.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.figure import Figure

    from dpsampling.claims import Claim

ID = "fig5_1"
COLUMNS = ("variant", "scale", "order", "epsilon")


def check(params: Mapping[str, Any]) -> None:
    """A Beta prior has two parameters."""
    from dpsampling.experiments.checks import beta_prior

    beta_prior(params)


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row a variant, scale and order."""
    from dpsampling.experiments.chapter5 import levels

    del rng  # nothing here is random
    return levels.table("diffused", params)


def figure(table: pd.DataFrame) -> Figure:
    """ε against λ, one curve a scale."""
    from dpsampling.experiments.chapter5 import levels_figure

    return levels_figure.draw(table, ID)


def claims(table: pd.DataFrame) -> list[Claim]:
    """What section 5.4 says of this figure, and what its published points say."""
    from dpsampling.experiments.chapter5 import levels_claims

    return levels_claims.judge(table, ID)
