"""Public steps at the end of noisy SGD make it private for every record (thesis section 6.4.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.figure import Figure

    from dpsampling.claims import Claim

ID = "public_steps"
COLUMNS = ("dimension", "sigma", "public_steps", "epsilon", "excess_loss", "sem", "excess_nonprivate")


def check(params: Mapping[str, Any]) -> None:
    """The constants must be those of a strongly convex loss, and the rate one that Lemma 7 allows."""
    from dpsampling.experiments.checks import gradient_steps

    gradient_steps(params)


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row a dimension and number of public steps."""
    from dpsampling.experiments.chapter6 import noisy_sgd

    return noisy_sgd.by_dimension(params, rng)


def figure(table: pd.DataFrame) -> Figure:
    """Public steps needed and loss, against the dimension."""
    from dpsampling.experiments.chapter6 import public_steps_figure

    return public_steps_figure.draw(table, ID)


def claims(table: pd.DataFrame) -> list[Claim]:
    """What section 6.4.1 says of public steps."""
    from dpsampling.experiments.chapter6 import public_steps_claims

    return public_steps_claims.judge(table, ID)
