"""Section 4.5's 400ε, and what it leaves out."""

from __future__ import annotations

import pandas as pd

from dpsampling.claims import Claim, agrees, at_most, untestable
from dpsampling.experiments.chapter4.hmm_costs import ANY, CONVERGED, SAME, UNSURE
from dpsampling.experiments.contract import parameters_of

SOURCE = "thesis sections 4.4.1 and 4.5"


def judge(table: pd.DataFrame, experiment: str) -> list[Claim]:
    """Of the first log; the others differ in Δ alone."""
    params = parameters_of(table, experiment)
    rows = table[table["log"] == table["log"].iloc[0]].set_index("setting")["epsilon"]
    worst = "by the accounting, unconverged OPS costs at most 400ε: two updates in each of 200 iterations (over ε)"
    stable = "by the accounting, the Laplace mechanism's ε is one release's, whatever the chain does"
    gibbs = (
        "by the accounting, a private Gibbs chain has the same total ε when each of its updates costs ε/(2·iterations)"
    )
    run_time = "OPS about doubles the run time, the Laplace mechanism hardly changes it"
    return [
        agrees("worst-case", SOURCE, worst, expected=400, measured=rows[UNSURE] / rows[CONVERGED], tolerance=1e-6)
        if params["iterations"] == 200
        else untestable("worst-case", SOURCE, worst, "the chain does not have 200 iterations"),
        at_most("laplace", SOURCE, stable, limit=params["epsilon"], measured=float(rows[ANY])),
        at_most("gibbs", SOURCE, gibbs, limit=params["epsilon"], measured=float(rows[SAME]), tolerance=1e-9),
        untestable("run-time", SOURCE, run_time, "wall time is not the same on every run; see 'make benchmark'"),
    ]
