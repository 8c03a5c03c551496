"""What the trained models release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.experiments.learners import gradient as said
from dpsampling.privacy.guarantee import Approximate, Relation
from dpsampling.privacy.ledger import Release


def releases(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Release]:
    """Every model with noise, at the ε that its σ was found for; noise on each gradient spends less."""
    rows = table[(table["view"] == said.TRAINED) & (table["method"] != said.PLAIN)]
    return [
        Release(
            dataset,
            f"noisy gradient descent, batches of {batch}",
            Approximate(float(epsilon), params["delta"], Relation.ADD_OR_REMOVE_ONE, ("Poisson batches, kept secret",)),
            int(repeats),
        )
        for dataset, batch, epsilon, repeats in zip(
            rows["dataset"], rows["batch"], rows["epsilon"], rows["repeats"], strict=True
        )
    ]
