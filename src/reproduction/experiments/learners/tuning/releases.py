"""What the tuned models release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.privacy.guarantee import Approximate, Relation
from dpsampling.privacy.ledger import Release
from reproduction.experiments.learners import tuning as said


def releases(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Release]:
    """Every model at what it spends; rows are planted anew in each repeat."""
    rows = table[(table["view"] == said.TRAINED) & (table["mechanism"] != said.BEST)]
    fits = {said.UNTUNED: len(params["clips"])}  # one of each length, of which the best known is one
    return [
        Release(
            "planted rows",
            mechanism,
            Approximate(float(spent), params["delta"], Relation.ADD_OR_REMOVE_ONE),
            int(repeats) * fits.get(mechanism, 1),
        )
        for mechanism, spent, repeats in zip(rows["mechanism"], rows["epsilon_total"], rows["repeats"], strict=True)
    ]
