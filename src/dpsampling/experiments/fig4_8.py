"""Efficiency and consistency of private draws: Lemma 1, Theorems 4 and 5, Remark 1 of the thesis, measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.figure import Figure

    from dpsampling.claims import Claim

ID = "fig4_8"
COLUMNS = ("quantity", "mechanism", "n", "value", "sem")


def check(params: Mapping[str, Any]) -> None:
    """A Beta prior has two parameters, and truncation must leave room for every outcome."""
    from dpsampling.experiments.checks import beta_prior, exact_noise

    beta_prior(params)
    exact_noise(params)

    from dpsampling.errors import InputError

    outcomes, truncation = len(params["probabilities"]), params["truncation"]
    if truncation * outcomes >= 1:
        raise InputError(f"truncation is {truncation}; {outcomes} outcomes need it below 1/{outcomes}.")


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row a quantity, mechanism and n."""
    from dpsampling.experiments.chapter4 import efficiency

    return efficiency.table(params, rng)


def figure(table: pd.DataFrame) -> Figure:
    """KL and normalized squared error against n."""
    from dpsampling.experiments.chapter4 import efficiency_figure

    return efficiency_figure.draw(table, ID)


def claims(table: pd.DataFrame) -> list[Claim]:
    """The limits that the theorems state, against exact finite-n values."""
    from dpsampling.experiments.chapter4 import efficiency_claims

    return efficiency_claims.judge(table, ID)
