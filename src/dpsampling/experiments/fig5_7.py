"""Figure 5.7: −ln Pr(X_H | θ) of held-out data, with θ drawn by each mechanism, against ε (thesis section 5.6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.figure import Figure

    from dpsampling.claims import Claim
    from dpsampling.privacy.ledger import Release

ID = "fig5_7"
COLUMNS = ("rho", "mechanism", "epsilon", "mean", "sd")


def check(params: Mapping[str, Any]) -> None:
    """A Beta prior has two parameters."""
    from dpsampling.experiments.checks import beta_prior

    beta_prior(params)


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row a population, mechanism and ε: mean and standard deviation over the runs."""
    from dpsampling.experiments.chapter5 import heldout

    return heldout.table(params, rng)[list(COLUMNS)]


def figure(table: pd.DataFrame) -> Figure:
    """Mean and standard deviation against ln ε, one curve a mechanism, one panel a population."""
    from dpsampling.experiments.chapter5 import heldout_figure

    return heldout_figure.draw(table, ID)


def claims(table: pd.DataFrame) -> list[Claim]:
    """What section 5.6 says of this figure, and what its published points say."""
    from dpsampling.experiments.chapter5 import heldout_claims

    return heldout_claims.judge(table, ID)


def releases(table: pd.DataFrame) -> list[Release]:
    """Every draw of every mechanism, with its guarantee."""
    from dpsampling.experiments.chapter5 import heldout

    return heldout.releases(table, ID)
