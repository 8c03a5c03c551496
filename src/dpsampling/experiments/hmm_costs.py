"""What a private hidden Markov model costs in ε (thesis sections 4.4.1 and 4.5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.figure import Figure

    from dpsampling.claims import Claim

ID = "hmm_costs"
COLUMNS = ("log", "mechanism", "setting", "updates", "per_update", "epsilon", "temperature")


def check(params: Mapping[str, Any]) -> None:
    """The logs exist, and the chain is longer than its burn-in."""
    from dpsampling.experiments.chapter4 import warlog_checks

    warlog_checks.check(params)


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row a way to spend."""
    from dpsampling.experiments.chapter4 import hmm_costs

    del rng  # nothing here is random
    return hmm_costs.table(params)


def figure(table: pd.DataFrame) -> Figure:
    """ε of every way, on a logarithmic axis."""
    from dpsampling.experiments.chapter4 import hmm_costs_figure

    return hmm_costs_figure.draw(table, ID)


def claims(table: pd.DataFrame) -> list[Claim]:
    """400ε, and who pays it."""
    from dpsampling.experiments.chapter4 import hmm_costs_claims

    return hmm_costs_claims.judge(table, ID)
