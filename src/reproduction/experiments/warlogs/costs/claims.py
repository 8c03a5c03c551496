"""Section 4.5's 400ε, and what it leaves out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, Claim, at_most, untestable
from reproduction.experiments.warlogs.costs import ANY, UNSURE, WHOLE

EVIDENCE = EXACT

SOURCE = "thesis sections 4.4.1 and 4.5"


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """Of the first log; the others differ in Δ alone. What is measured was searched, and not taken from a promise."""
    first = table[table["log"] == table["log"].iloc[0]].set_index("setting")
    over = first["searched"] / params["epsilon"]
    worst = (
        "unconverged OPS costs at most 400ε, ε for each of two updates in 200 iterations: as often the largest loss of "
        "an update that is found by enumeration (over ε)"
    )
    stable = (
        "the Laplace mechanism pays once, whatever the chain does: the largest distance of two logs' counts that is "
        "found by enumeration, over the noise's scale (over ε)"
    )
    gibbs = (
        "a Gibbs chain that is private at its own cost may show all its samples: the cost of as many updates, each of "
        "the largest loss that is found by enumeration, is at most 400ε at the temperature of OPS (over ε)"
    )
    run_time = "OPS about doubles the run time, the Laplace mechanism hardly changes it"
    least = 1e-12  # of rounding

    def of_a_chain(name: str, text: str, setting: str) -> Claim:
        if params["iterations"] != 200:
            return untestable(name, SOURCE, text, "the chain does not have 200 iterations")
        return at_most(name, SOURCE, text, limit=400, measured=float(over[setting]), tolerance=400 * least)

    return [
        of_a_chain("worst-case", worst, UNSURE),
        at_most("laplace", SOURCE, stable, limit=1, measured=float(over[ANY]), tolerance=least),
        of_a_chain("gibbs", gibbs, WHOLE),
        untestable("run-time", SOURCE, run_time, "wall time is not the same on every run; see 'make benchmark'"),
    ]
