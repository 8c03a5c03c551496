"""The sampler finds what was planted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from reproduction.claims import MONTE_CARLO, Claim, at_least, untestable
from reproduction.experiments.warlogs.checks import too_few, unlike_predictions

EVIDENCE = MONTE_CARLO

SOURCE = "ours: the simulator's planted states"


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """More than 95% of cells in nine of ten logs."""
    claims, why = [], "; ".join(unlike_predictions(params, simulated=True) + too_few(params, repeats=10))
    for log in params["logs"]:
        name = f"planted-{log}"
        statement = f"a fit of 10 states recovers over 95% of the planted cells: share of simulated logs ({log})"
        share = float((table.loc[table["log"] == log, "share"] > 0.95).mean())
        claims.append(
            untestable(name, SOURCE, statement, why, ours=True)
            if why
            else at_least(name, SOURCE, statement, limit=0.9, measured=share, ours=True)
        )
    return claims
