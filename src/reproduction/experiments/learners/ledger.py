"""Rows of accuracies as entries of a ledger."""

from __future__ import annotations

import pandas as pd

from dpsampling.privacy.gaussian_dp import GaussianDP, largest_mu
from dpsampling.privacy.guarantee import Guarantee, Pure, Relation
from dpsampling.privacy.ledger import Release


def priced(rows: pd.DataFrame) -> list[Release]:
    """One for each data set, mechanism and ε; a table that is split anew each time counts as one of its own."""
    return [
        Release(
            f"{row['dataset']}, {row['n']:g} rows",
            f"{row['mechanism']} at ε = {row['epsilon']:g}",
            _guarantee(row["epsilon_true"], row["delta"], Relation(row["relation"])),
            int(row["repeats"]),
        )
        for _, row in rows.iterrows()
    ]


def _guarantee(epsilon: float, delta: float, relation: Relation) -> Guarantee:
    """Pure, or all that Gaussian noise of this (ε, δ) promises."""
    if delta == 0.0:
        return Pure(epsilon, relation)
    return GaussianDP(largest_mu(epsilon, delta), relation).renyi()
