"""What the supplement says of its Figure 1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.claims import EXACT, Claim, agrees, never, untestable
from dpsampling.experiments.posteriors.closed_form import sensitivity

EVIDENCE = EXACT

SOURCE = "UAI 2016 supplement appendix A"


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """The worst case, its approach, and the ties."""
    a0, worst = float(params["truncation"]), float(table["worst_case"].iloc[0])
    gap = float((table["epsilon_ties_to_failures"] - table["epsilon"]).abs().max())
    text = "the adversary drives ε towards the worst case 2Δ (share reached with the last record)"
    n = len(table)
    near = n * a0 >= 5.0 and a0 <= 0.3 and params["prior"][1] <= n / 10.0
    last = float(table["epsilon"].iloc[-1]) / worst
    return [
        agrees(
            "worst-case",
            SOURCE,
            "the worst case is 2Δ = 2 ln((1−a₀)/a₀)",
            expected=2.0 * sensitivity(a0),
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
