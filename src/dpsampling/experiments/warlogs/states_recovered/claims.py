"""The sampler finds what was planted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.claims import MONTE_CARLO, Claim, at_least, untestable
from dpsampling.experiments.warlogs.checks import at_paper

EVIDENCE = MONTE_CARLO

SOURCE = "ours: the simulator's planted states"


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """More than 95% of cells in nine of ten logs."""
    claims = []
    for log in params["logs"]:
        statement = f"a fit of 10 states recovers over 95% of the planted cells: share of simulated logs ({log})"
        shares = table.loc[table["log"] == log, "share"]
        if not at_paper(params, simulated=True) or len(shares) < 10:
            claims.append(
                untestable(
                    f"planted-{log}", SOURCE, statement, "fewer than ten logs, or another model or scale", ours=True
                )
            )
        else:
            claims.append(
                at_least(
                    f"planted-{log}", SOURCE, statement, limit=0.9, measured=float((shares > 0.95).mean()), ours=True
                )
            )
    return claims
