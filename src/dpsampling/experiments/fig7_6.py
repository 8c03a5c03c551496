"""Figure 7.6: Pr(output = 1) per profile against ε, chain of 21, randomized response (thesis section 7.6.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.figure import Figure

    from dpsampling.claims import Claim

ID = "fig7_6"
COLUMNS = ("profile", "p", "epsilon", "probability")


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row a profile and ε."""
    from dpsampling.experiments.chapter7 import chains

    del rng  # nothing here is random
    return chains.table("baseline", params)


def figure(table: pd.DataFrame) -> Figure:
    """A curve a profile."""
    from dpsampling.experiments.chapter7 import chains_figure

    return chains_figure.draw(table, ID)


def claims(table: pd.DataFrame) -> list[Claim]:
    """What section 7.6.2 says of this figure."""
    from dpsampling.experiments.chapter7 import chains_claims

    return chains_claims.judge_baseline(table)
