"""What the fits release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.event_logs.mechanisms import NoisyCounts
from dpsampling.privacy.ledger import Release
from reproduction.experiments.warlogs import facts
from reproduction.experiments.warlogs.releases import of_fits


def releases(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Release]:
    """Every fit to noisy counts: of each split at each ε, and of each share of the entries."""
    del table  # the parameters say it all
    updates, log = 2 * params["iterations"], params["logs"][0]
    levels = [*map(float, params["epsilons"]), *[float(params["epsilon"])] * len(facts.SHARES)]
    return [
        of_fits(log, NoisyCounts(epsilon), updates, levels.count(epsilon) * params["splits"], whole=False)
        for epsilon in dict.fromkeys(levels)
    ]
