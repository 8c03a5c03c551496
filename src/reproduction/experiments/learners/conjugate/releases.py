"""What the private fits release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.privacy.ledger import Release
from reproduction.experiments.learners import conjugate as said
from reproduction.experiments.learners.conjugate.table import learner


def releases(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Release]:
    """One entry for each mechanism, number of updates and ε, with a fit a repeat."""
    released = []
    for row in table[table["view"] == said.FINAL].to_dict("records"):
        name, updates, epsilon = row["mechanism"], int(row["updates"]), float(row["epsilon"])
        guarantee = learner(name, params["categories"], updates, epsilon).guarantee
        label = f"noise {name}, {updates} updates, ε = {epsilon:.6g}"
        released.append(Release("planted categories", label, guarantee, params["repeats"]))
    return released
