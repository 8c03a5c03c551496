"""Theorem 15's bounds beside the exact privacy of a post-processed mechanism (thesis section 6.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.figure import Figure

    from dpsampling.claims import Claim

ID = "fig6_3"
COLUMNS = ("mechanism", "epsilon", "delta", "condition", "gamma", "epsilon_bound", "delta_bound", "delta_exact")


def check(params: Mapping[str, Any]) -> None:
    """Randomized response must have probabilities that floats can hold."""
    from dpsampling.experiments.checks import responses

    responses("epsilon", [params["epsilon"]])


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row a mechanism, condition and amount of noise."""
    from dpsampling.experiments.chapter6 import composition

    del rng  # nothing here is random
    return composition.table(params)


def figure(table: pd.DataFrame) -> Figure:
    """ε′ and δ′ against γ, and the exact δ at ε′."""
    from dpsampling.experiments.chapter6 import composition_figure

    return composition_figure.draw(table, ID)


def claims(table: pd.DataFrame) -> list[Claim]:
    """What Theorem 15 and the remarks after it say."""
    from dpsampling.experiments.chapter6 import composition_claims

    return composition_claims.judge(table, ID)
