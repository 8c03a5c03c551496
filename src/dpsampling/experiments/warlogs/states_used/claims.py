"""Section 4.5: with 10 states the private model fills 2 or 3, the non-private one fills them all."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.claims import SIMULATED_LOG, Claim, agrees, at_least, untestable
from dpsampling.experiments.warlogs.checks import at_paper
from dpsampling.experiments.warlogs.text import origin
from dpsampling.warlogs.names import CLIP

EVIDENCE = SIMULATED_LOG

SOURCE = "thesis section 4.5"


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """For each log."""
    claims = []
    for log in params["logs"]:
        rows = table[table["log"] == log]
        where = origin(table, log)
        private = f"given 10 states, the Laplace fit at ε = 5 uses 2 to 3 ({log}, {where}; clipped counts)"
        plain = f"given 10 states, the non-private fit uses all of them ({log}, {where})"
        why = None if at_paper(params) else "the model or the scale is not the thesis's"
        at_five = rows[(rows["variant"] == CLIP) & (rows["epsilon"].between(4.0, 6.5))]
        if why or at_five.empty:
            claims.append(untestable(f"laplace-{log}", SOURCE, private, why or "no ε near 5 in the table"))
        else:
            nearest = (at_five["epsilon"] - 5.0).abs().idxmin()
            measured = float(at_five.loc[nearest, "states"])
            claims.append(agrees(f"laplace-{log}", SOURCE, private, expected=2.5, measured=measured, tolerance=1.0))
        if why:
            claims.append(untestable(f"non-private-{log}", SOURCE, plain, why))
        else:
            free = float(rows.loc[~rows["epsilon"].map(math.isfinite), "states"].iloc[0])
            claims.append(at_least(f"non-private-{log}", SOURCE, plain, limit=10.0, measured=free, tolerance=0.5))
    return claims
