"""What was learned of real and of planted rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.privacy.ledger import Release
from reproduction.experiments.learners.linear.table import learners


def releases(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Release]:
    """Every mechanism at every ε: on all splits of the one real data set, and once on each planted one."""
    real, planted = table["title"].unique()
    repeats = params["repeats"]
    counts = {real: repeats, f"each of {repeats} sets of {planted}": 1}
    return [
        Release(data, f"{name} at ε = {epsilon:.6g}", learner.guarantee, count)
        for data, count in counts.items()
        for epsilon in params["epsilons"]
        for name, learner in learners(epsilon, params["delta"]).items()
    ]
