"""Figure 7.1: the four cases of composition, each with its exact ε (thesis section 7.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.figure import Figure

    from dpsampling.claims import Claim

ID = "fig7_1"
COLUMNS = ("case", "claimed_epsilon", "exact_epsilon")


def check(params: Mapping[str, Any]) -> None:
    """Two joined profiles, and one to follow each."""
    from dpsampling.errors import InputError

    if len(params["bernoulli"]) != 4:
        raise InputError(
            f"bernoulli is {params['bernoulli']}; this figure has four profiles, 3 follows 1 and 4 follows 2."
        )


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row a case."""
    from dpsampling.experiments.chapter7 import composition

    del rng  # nothing here is random
    return composition.table(params)


def figure(table: pd.DataFrame) -> Figure:
    """The rule beside enumeration, as bars."""
    from dpsampling.experiments.chapter7 import composition_figure

    return composition_figure.draw(table, ID)


def claims(table: pd.DataFrame) -> list[Claim]:
    """Two rules, two counterexamples."""
    from dpsampling.experiments.chapter7 import composition_claims

    return composition_claims.judge(table)
