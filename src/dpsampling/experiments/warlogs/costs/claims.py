"""Section 4.5's 400ε, and what it leaves out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.claims import EXACT, Claim, agrees, at_most, untestable
from dpsampling.experiments.warlogs.costs import ANY, CONVERGED, SAME, UNSURE

EVIDENCE = EXACT

SOURCE = "thesis sections 4.4.1 and 4.5"


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """Of the first log; the others differ in Δ alone. What is measured was searched, beside what is promised."""
    first = table[table["log"] == table["log"].iloc[0]].set_index("setting")
    promised, searched = first["epsilon"], first["searched"]
    factor = float(searched[UNSURE] / promised[CONVERGED])
    worst = "by the accounting, unconverged OPS costs at most 400ε: two updates in each of 200 iterations (over ε)"
    stable = "by the accounting, the Laplace mechanism's ε is one release's, whatever the chain does"
    gibbs = (
        "by the accounting, a private Gibbs chain has the same total ε when each of its updates costs ε/(2·iterations)"
    )
    run_time = "OPS about doubles the run time, the Laplace mechanism hardly changes it"
    return [
        agrees("worst-case", SOURCE, worst, expected=400, measured=factor, tolerance=1e-6)
        if params["iterations"] == 200
        else untestable("worst-case", SOURCE, worst, "the chain does not have 200 iterations"),
        at_most("laplace", SOURCE, stable, limit=params["epsilon"], measured=float(searched[ANY])),
        at_most("gibbs", SOURCE, gibbs, limit=params["epsilon"], measured=float(searched[SAME]), tolerance=1e-9),
        untestable("run-time", SOURCE, run_time, "wall time is not the same on every run; see 'make benchmark'"),
    ]
