"""What the supplement says of its Figure 1."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from dpsampling.claims import Claim, agrees, never, untestable
from dpsampling.experiments.chapter4 import adversary
from dpsampling.experiments.contract import parameters_of

SOURCE = "UAI 2016 supplement appendix A"


def judge(table: pd.DataFrame, experiment: str) -> list[Claim]:
    """The worst case, its approach, and the ties."""
    params = parameters_of(table, experiment)
    a0, worst = float(params["truncation"]), float(table["worst_case"].iloc[0])
    other = adversary.table(params, prefer_success=False)
    gap = float(np.max(np.abs(other["epsilon"].to_numpy() - table["epsilon"].to_numpy())))
    text = "the adversary drives ε towards the worst case 2Δ (share reached with the last record)"
    n = len(table)
    near = n * a0 >= 5.0 and a0 <= 0.3 and params["prior"][1] <= n / 10.0
    last = float(table["epsilon"].iloc[-1]) / worst
    return [
        agrees(
            "worst-case",
            SOURCE,
            "the worst case is 2Δ = 2 ln((1−a₀)/a₀)",
            expected=2.0 * math.log((1.0 - a0) / a0),
            measured=worst,
            tolerance=1e-9,
        ),
        never(
            "bounded",
            SOURCE,
            "no data set costs more than the worst case, and each record the adversary adds raises ε",
            violations=int((table["epsilon"] > worst).sum()) + int((table["epsilon"].diff() < -1e-12).sum()),
            cases=len(table),
        ),
        agrees("approach", SOURCE, text, expected=1.0, measured=last, tolerance=0.1)
        if near
        else untestable("approach", SOURCE, text, "too few records were added for this window and prior"),
        agrees(
            "ties",
            "own observation",
            "how ties between a success and a failure are broken does not change the curve (largest difference)",
            expected=0.0,
            measured=gap,
            tolerance=1e-9,
        ),
    ]
