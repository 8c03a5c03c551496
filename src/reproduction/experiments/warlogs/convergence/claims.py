"""The promise of OPS rests on convergence: whether 200 iterations give it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.event_logs.names import OPS
from reproduction.claims import Claim, Marks, at_most, untestable
from reproduction.experiments.warlogs.checks import unlike_predictions
from reproduction.experiments.warlogs.convergence import CONVERGED, R_HAT
from reproduction.experiments.warlogs.text import evidence, origin, simulated

SOURCE = "thesis section 4.5"


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """For each log: the share of OPS points whose chains visibly disagree."""
    claims = []
    for log in params["logs"]:
        statement = (
            "200 iterations are enough for OPS to converge, on which its ε rests: share of ε "
            f"and M with split R-hat of the log joint density above {CONVERGED:g} ({log}, {origin(table, log)})"
        )
        name, marks = f"ops-{log}", Marks(evidence=evidence(table, log), ours=True)
        reasons = unlike_predictions(params, simulated=simulated(table, log))
        if reasons:
            claims.append(untestable(name, SOURCE, statement, "; ".join(reasons), **marks))
            continue
        rows = table[(table["log"] == log) & (table["mechanism"] == OPS) & (table["quantity"] == R_HAT)]
        share = float((rows["value"] > CONVERGED).mean())
        claims.append(at_most(name, SOURCE, statement, limit=0.0, measured=share, **marks))
    return claims
