"""What was learned of one split."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.privacy.guarantee import Approximate, Pure, Relation
from dpsampling.privacy.ledger import Release


def releases(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Release]:
    """Every learner at every ε, as often as it was fitted."""
    found = []
    for row in table[table["epsilon"].notna()].itertuples(index=False):
        relation = Relation(row.relation)
        conditions = (str(row.conditions),) if isinstance(row.conditions, str) and row.conditions else ()
        guarantee = (
            Approximate(row.epsilon, row.delta, relation, conditions)
            if row.delta > 0
            else Pure(row.epsilon, relation, conditions)
        )
        found.append(Release(params["dataset"], f"{row.mechanism} at ε = {row.epsilon:.6g}", guarantee, row.repeats))
    return found
