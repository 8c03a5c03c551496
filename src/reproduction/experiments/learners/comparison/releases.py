"""What was learned of one split."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.privacy.guarantee import Approximate, Pure, Relation
from dpsampling.privacy.ledger import Release


def releases(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Release]:
    """Every learner at every ε, as often as it was fitted."""
    private = table[table["epsilon"].notna()]
    return [
        Release(
            params["dataset"], f"{row['mechanism']} at ε = {row['epsilon']:.6g}", _guarantee(row), int(row["repeats"])
        )
        for row in private.to_dict("records")
    ]


def _guarantee(row: Mapping[Any, Any]) -> Pure | Approximate:
    relation = Relation(row["relation"])
    conditions = (row["conditions"],) if isinstance(row["conditions"], str) and row["conditions"] else ()
    if row["delta"] > 0:
        return Approximate(row["epsilon"], row["delta"], relation, conditions)
    return Pure(row["epsilon"], relation, conditions)
