"""Figure 4.2: E|p̃ − p| of one draw against the number of records (thesis section 4.3.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.figure import Figure

    from dpsampling.claims import Claim

ID = "fig4_2"
COLUMNS = ("mechanism", "n", "mean", "sem")


def check(params: Mapping[str, Any]) -> None:
    """A Beta prior has two parameters."""
    from dpsampling.experiments.checks import beta_prior, exact_noise

    beta_prior(params)
    exact_noise(params)


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row a mechanism and n: mean over the repeats and its standard error."""
    from dpsampling.experiments.chapter4 import accuracy

    return accuracy.table(params, rng)


def figure(table: pd.DataFrame) -> Figure:
    """Error against n, both logarithmic, one curve a mechanism."""
    from dpsampling.experiments.chapter4 import accuracy_figure

    return accuracy_figure.draw(table, ID)


def claims(table: pd.DataFrame) -> list[Claim]:
    """What the text says of this figure, against exact expectations."""
    from dpsampling.experiments.chapter4 import accuracy_claims

    return accuracy_claims.judge(table, ID)
