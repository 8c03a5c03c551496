"""What private Markov chains cost: Gibbs, Metropolis and annealed importance sampling (thesis section 4.4.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.figure import Figure

    from dpsampling.claims import Claim

ID = "mcmc_costs"
COLUMNS = ("method", "setting", "epsilon", "delta", "condition")


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row a method: its (ε, δ) and what that rests on."""
    from dpsampling.experiments.chapter4 import costs

    del rng  # nothing here is random
    return costs.table(params)


def figure(table: pd.DataFrame) -> Figure:
    """ε of every method, on a logarithmic axis."""
    from dpsampling.experiments.chapter4 import costs_figure

    return costs_figure.draw(table, ID)


def claims(table: pd.DataFrame) -> list[Claim]:
    """What section 4.4.1 and the supplement's appendix C say of these costs."""
    from dpsampling.experiments.chapter4 import costs_claims

    return costs_claims.judge(table, ID)
