"""Figure 7.2: flip probability of two Bernoulli profiles against their difference (thesis section 7.6.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.figure import Figure

    from dpsampling.claims import Claim

ID = "fig7_2"
COLUMNS = ("epsilon", "p_i", "p_j", "mechanism", "flip")


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row an ε, pair and mechanism."""
    from dpsampling.experiments.chapter7 import couplet

    del rng  # nothing here is random
    return couplet.table(params)


def figure(table: pd.DataFrame) -> Figure:
    """Curves a level, local privacy as horizontal lines."""
    from dpsampling.experiments.chapter7 import couplet_figure

    return couplet_figure.draw(table)


def claims(table: pd.DataFrame) -> list[Claim]:
    """What sections 7.5.3 and 7.6.2 say."""
    from dpsampling.experiments.chapter7 import couplet_claims

    return couplet_claims.judge(table)
