"""The errata of the supplement's appendix E."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.claims import EXACT, Claim, corrected
from dpsampling.experiments.warlogs.conditionals import CORRECTED, PRINTED, STATES, TRUNCATED

EVIDENCE = EXACT

SOURCE = "UAI 2016 supplement appendix E"


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """The largest errors of the table."""
    del params  # the table says it all
    worst = table.groupby(["quantity", "method"])["value"].max()
    return [
        corrected(
            "eq48",
            f"{SOURCE}, eq. (48)",
            "(48) is the conditional of a state given all others (error: stationary total variation)",
            correction="the second denominator is n_{z_t} + 1[z_{t−1} = z_t] + Kα; printed is that of z_{t−1}",
            error_as_printed=float(worst[(STATES, PRINTED)]),
            error_as_corrected=float(worst[(STATES, CORRECTED)]),
            tolerance=1e-9,
            slip=True,
        ),
        corrected(
            "truncated-dirichlet",
            f"{SOURCE}.2",
            "a truncated Dirichlet is drawn one coordinate after another, as truncated betas (error: of a mean)",
            correction="the conditional of a coordinate also holds the probability that the rest clears the floor",
            error_as_printed=float(worst[(TRUNCATED, PRINTED)]),
            error_as_corrected=float(worst[(TRUNCATED, CORRECTED)]),
            tolerance=1e-6,
            slip=True,
        ),
    ]
