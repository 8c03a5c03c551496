"""Figure 5.4: KL(P‖A) from the true posterior to each mechanism against ε, λ > λ* (thesis section 5.4.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.figure import Figure

    from dpsampling.claims import Claim

ID = "fig5_4"
COLUMNS = ("variant", "mechanism", "epsilon", "kl", "scale")


def check(params: Mapping[str, Any]) -> None:
    """A Beta prior has two parameters."""
    from dpsampling.experiments.checks import beta_prior

    beta_prior(params)


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row a variant, mechanism and ε."""
    from dpsampling.experiments.chapter5 import tradeoff

    del rng  # nothing here is random
    return tradeoff.table(params)


def figure(table: pd.DataFrame) -> Figure:
    """KL against ln ε, one curve a mechanism."""
    from dpsampling.experiments.chapter5 import tradeoff_figure

    return tradeoff_figure.draw(table, ID)


def claims(table: pd.DataFrame) -> list[Claim]:
    """What section 5.4 says of this figure, and what its published points say."""
    from dpsampling.experiments.chapter5 import tradeoff_claims

    return tradeoff_claims.judge(table, ID)
