"""Figure 6.1: implications between mixing conditions, on random kernels (thesis section 6.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.figure import Figure

    from dpsampling.claims import Claim

ID = "fig6_1"
COLUMNS = ("premise", "conclusion", "kernels", "violations")


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row an ordered pair of conditions."""
    from dpsampling.experiments.chapter6 import implications

    return implications.table(params, rng)


def figure(table: pd.DataFrame) -> Figure:
    """The four conditions, with on how many kernels each implication fails."""
    from dpsampling.experiments.chapter6 import implications_figure

    return implications_figure.draw(table, ID)


def claims(table: pd.DataFrame) -> list[Claim]:
    """What Lemma 1 and Figure 6.1 say."""
    from dpsampling.experiments.chapter6 import implications_claims

    return implications_claims.judge(table, ID)
