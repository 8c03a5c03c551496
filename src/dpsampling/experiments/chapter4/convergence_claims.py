"""The promise of OPS rests on convergence: whether 200 iterations give it."""

from __future__ import annotations

import pandas as pd

from dpsampling.claims import Claim, at_most, untestable
from dpsampling.experiments.chapter4.convergence import R_HAT
from dpsampling.experiments.chapter4.warlog_checks import at_paper
from dpsampling.experiments.chapter4.warlog_text import origin
from dpsampling.experiments.contract import parameters_of

SOURCE = "thesis section 4.5"
CONVERGED = 1.1


def judge(table: pd.DataFrame, experiment: str) -> list[Claim]:
    """For each log: the share of OPS points whose chains visibly disagree."""
    params = parameters_of(table, experiment)
    claims = []
    for log in params["logs"]:
        statement = (
            "200 iterations are enough for OPS to converge, on which its ε rests (our reading): share of ε "
            f"and M with split R-hat of the log joint density above {CONVERGED:g} ({log}, {origin(table, log)})"
        )
        if not at_paper(params):
            claims.append(untestable(f"ops-{log}", SOURCE, statement, "the model or the scale is not the thesis's"))
            continue
        rows = table[(table["log"] == log) & (table["mechanism"] == "ops") & (table["quantity"] == R_HAT)]
        share = float((rows["value"] > CONVERGED).mean())
        claims.append(at_most(f"ops-{log}", SOURCE, statement, limit=0.0, measured=share))
    return claims
