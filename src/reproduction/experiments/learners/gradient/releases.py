"""What the trained models release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.learners.sampled_gaussian import renyi
from dpsampling.privacy.guarantee import Relation
from dpsampling.privacy.ledger import Release
from reproduction.experiments.learners import gradient as said


def releases(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Release]:
    """Every model with noise, by its Rényi curve, which says something at every δ."""
    del params  # all of it is in the table
    rows = table[(table["view"] == said.TRAINED) & (table["method"] != said.PLAIN)]
    columns = ["dataset", "method", "records", "batch", "sigma", "steps", "repeats"]
    return [
        Release(
            dataset,
            f"noisy gradient descent, {method}, batches of {batch}",
            renyi(batch / records, float(sigma), int(steps), Relation.ADD_OR_REMOVE_ONE),
            int(repeats),
        )
        for dataset, method, records, batch, sigma, steps, repeats in rows[columns].to_numpy(dtype=object).tolist()
    ]
