"""Amplification by iteration: Theorem 21 as printed, unrelaxed, at its best, and exact affine maps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.figure import Figure

    from dpsampling.claims import Claim

ID = "fig6_5"
COLUMNS = ("order", "delta", "sigma", "contraction", "steps", "curve", "epsilon")


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row a contraction, number of steps and curve."""
    from dpsampling.experiments.chapter6 import iterations

    del rng  # nothing here is random
    return iterations.table(params)


def figure(table: pd.DataFrame) -> Figure:
    """ε against the number of steps, one panel a contraction."""
    from dpsampling.experiments.chapter6 import iterations_figure

    return iterations_figure.draw(table, ID)


def claims(table: pd.DataFrame) -> list[Claim]:
    """What Theorem 21 says."""
    from dpsampling.experiments.chapter6 import iterations_claims

    return iterations_claims.judge(table, ID)
