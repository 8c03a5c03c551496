"""What the supplement says of its Figure 1."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, Claim, agrees, never, untestable
from reproduction.experiments.posteriors.closed_form import sensitivity

EVIDENCE = EXACT

SOURCE = "UAI 2016 supplement appendix A"
ROUNDING = 1e-12


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> Iterator[Claim]:
    """The worst case, its approach, and the ties."""
    worst = 2.0 * sensitivity(float(params["truncation"]))
    above = int((table["epsilon"] > worst * (1.0 + ROUNDING)).sum())
    text = "the worst case is drawn at 2Δ = 2 ln((1−a₀)/a₀) (largest distance)"
    measured = float((table["worst_case"] - worst).abs().max())
    yield agrees("worst-case", SOURCE, text, expected=0.0, measured=measured, tolerance=1e-9, of_privacy=True)
    text = "no data set that the adversary makes costs more than 2Δ"
    yield never("bounded", SOURCE, text, violations=above, cases=len(table), of_privacy=True)
    text = "each record that the adversary adds raises ε"
    falls = int((table["epsilon"].diff().iloc[1:] <= 0.0).sum())
    yield never("raises", SOURCE, text, violations=falls, cases=len(table) - 1)
    text = "the posterior concentrates on the worst case: all added records are the same (ties to a success)"
    different = int((table["successes"] != table["n"]).sum())
    yield never("concentrates", "thesis section 4.3.2", text, violations=different, cases=len(table), ours=True)
    yield _approach(table, params, worst)
    text = "how ties between a success and a failure are broken does not change the curve (largest difference)"
    gap = float((table["epsilon_ties_to_failures"] - table["epsilon"]).abs().max())
    yield agrees("ties", "ours", text, expected=0.0, measured=gap, tolerance=1e-9, ours=True)


def _approach(table: pd.DataFrame, params: Mapping[str, Any], worst: float) -> Claim:
    """The posterior of N successes falls from its end of the window like e^{−N(1−p)/p}: 2Δ − ε is of order 1/N."""
    n, a0 = len(table), float(params["truncation"])
    share = float(table["epsilon"].iloc[-1]) / worst
    text = (
        "the adversary makes ε approach the worst case 2Δ: what is missing falls like 1/N (slope of ln(2Δ − ε) against "
        f"ln N; {share:.3f} of 2Δ at the last record)"
    )
    if n * a0 < 5.0 or a0 > 0.3 or params["prior"][1] > n / 10.0:
        return untestable("approach", SOURCE, text, "too few records were added for this window and prior")
    half = n // 2
    missing = [worst - float(table.loc[table["n"] == k, "epsilon"].iloc[0]) for k in (half, n)]
    slope = math.log(missing[1] / missing[0]) / math.log(n / half) if min(missing) > 0 else math.nan
    # Over the last half of the records the next term is of relative size 1/(Na₀).
    return agrees("approach", SOURCE, text, expected=-1.0, measured=slope, tolerance=1.0 / (n * a0))
