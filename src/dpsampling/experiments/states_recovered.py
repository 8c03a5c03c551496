"""Whether a fit finds the states that a simulated log was made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.figure import Figure

    from dpsampling.claims import Claim

ID = "states_recovered"
COLUMNS = ("log", "replicate", "share")


def check(params: Mapping[str, Any]) -> None:
    """The logs exist, and the chain is longer than its burn-in."""
    from dpsampling.experiments.chapter4 import warlog_checks

    warlog_checks.check(params)


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row a simulated log."""
    from dpsampling.experiments.chapter4 import recovery

    return recovery.table(params, rng)


def figure(table: pd.DataFrame) -> Figure:
    """Shares of cells."""
    from dpsampling.experiments.chapter4 import recovery_figure

    return recovery_figure.draw(table, ID)


def claims(table: pd.DataFrame) -> list[Claim]:
    """Nine of ten."""
    from dpsampling.experiments.chapter4 import recovery_claims

    return recovery_claims.judge(table, ID)
