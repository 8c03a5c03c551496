"""Iterated Laplace noise: the bound (6.2) and the exact divergence (thesis Example 2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.figure import Figure

    from dpsampling.claims import Claim

ID = "fig6_4"
COLUMNS = ("delta", "scale1", "scale2", "order", "curve", "epsilon")


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row a pair of scales, order and curve."""
    from dpsampling.experiments.chapter6 import laplace

    del rng  # nothing here is random
    return laplace.table(params)


def figure(table: pd.DataFrame) -> Figure:
    """ε against the order, one panel a pair of scales."""
    from dpsampling.experiments.chapter6 import laplace_figure

    return laplace_figure.draw(table, ID)


def claims(table: pd.DataFrame) -> list[Claim]:
    """What Example 2 and Lemma 5 say."""
    from dpsampling.experiments.chapter6 import laplace_claims

    return laplace_claims.judge(table, ID)
