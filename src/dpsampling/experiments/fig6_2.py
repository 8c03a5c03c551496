"""Figure 6.2: mixing conditions as local differential privacy (thesis section 6.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.figure import Figure

    from dpsampling.claims import Claim

ID = "fig6_2"
COLUMNS = ("condition", "gamma", "ldp_epsilon", "ldp_delta")


def check(params: Mapping[str, Any]) -> None:
    """Randomized response must have probabilities that floats can hold."""
    from dpsampling.experiments.checks import responses
    from dpsampling.grids import expand

    responses("epsilons", expand(params["epsilons"]))


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """Four rows a kernel, one a condition."""
    from dpsampling.experiments.chapter6 import local_privacy

    return local_privacy.table(params, rng)


def figure(table: pd.DataFrame) -> Figure:
    """The privacy of each kernel against its coefficient."""
    from dpsampling.experiments.chapter6 import local_privacy_figure

    return local_privacy_figure.draw(table, ID)


def claims(table: pd.DataFrame) -> list[Claim]:
    """What Figure 6.2 says."""
    from dpsampling.experiments.chapter6 import local_privacy_claims

    return local_privacy_claims.judge(table, ID)
