"""Noisy projected SGD: what Theorem 22 promises each record, and the loss of what is released."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.figure import Figure

    from dpsampling.claims import Claim

ID = "fig6_6"
COLUMNS = (
    "n",
    "lipschitz",
    "smoothness",
    "convexity",
    "rate",
    "sigma",
    "index",
    "curve",
    "epsilon",
    "excess_loss",
    "sem",
    "excess_nonprivate",
)


def check(params: Mapping[str, Any]) -> None:
    """The constants must be those of a strongly convex loss, and the rate one that Lemma 7 allows."""
    from dpsampling.experiments.checks import gradient_steps

    gradient_steps(params)


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row an index and form of ε_i."""
    from dpsampling.experiments.chapter6 import noisy_sgd

    return noisy_sgd.by_index(params, rng)


def figure(table: pd.DataFrame) -> Figure:
    """ε_i against n − i, and the loss against the worst record's ε."""
    from dpsampling.experiments.chapter6 import noisy_sgd_figure

    return noisy_sgd_figure.draw(table, ID)


def claims(table: pd.DataFrame) -> list[Claim]:
    """What Theorem 22 and Lemma 7 say."""
    from dpsampling.experiments.chapter6 import noisy_sgd_claims

    return noisy_sgd_claims.judge(table, ID)
