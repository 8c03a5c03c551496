"""Figure 1 of the UAI 2016 supplement: the dataset-specific ε of one posterior draw under a greedy adversary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.figure import Figure

    from dpsampling.claims import Claim

ID = "supp1_1"
COLUMNS = ("n", "successes", "epsilon", "worst_case")


def check(params: Mapping[str, Any]) -> None:
    """A Beta prior has two parameters."""
    from dpsampling.experiments.checks import beta_prior

    beta_prior(params)


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row a number of records: the successes among them, ε, and its worst case."""
    from dpsampling.experiments.chapter4 import adversary

    del rng  # nothing here is random
    return adversary.table(params)


def figure(table: pd.DataFrame) -> Figure:
    """ε against n, and the worst case."""
    from dpsampling.experiments.chapter4 import adversary_figure

    return adversary_figure.draw(table, ID)


def claims(table: pd.DataFrame) -> list[Claim]:
    """What the supplement says of this figure."""
    from dpsampling.experiments.chapter4 import adversary_claims

    return adversary_claims.judge(table, ID)
