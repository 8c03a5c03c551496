"""What section 6.4.1 says of additional steps on public data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from reproduction.claims import EXACT, MONTE_CARLO, Claim, Marks, agrees, at_most, never, untestable
from reproduction.experiments.amplification.gradient_steps import contraction, settled
from reproduction.experiments.amplification.loss_claims import FEW, SECTION, unharmed

EVIDENCE = EXACT

SPREAD = 16  # the least ratio of two dimensions over which growth is told from a constant
STANDARD_ERRORS, ROUNDING = 4.0, 1e-9
MEANS = (("sem", "excess_loss"), ("sem_nonprivate", "excess_nonprivate"))


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> Iterator[Claim]:
    """Θ(log d) steps are enough for everyone's privacy, and the loss is that of SGD up to a constant."""
    groups = {int(str(d)): rows.sort_values("public_steps", kind="stable") for d, rows in table.groupby("dimension")}
    last = {d: rows.iloc[-1] for d, rows in groups.items()}
    over = sum(max(row["epsilon"], _level(row, params) * (1.0 - ROUNDING)) > params["epsilon"] for row in last.values())
    text = "after the public steps every record has ε_i ≤ ε"
    yield never("reached", SECTION, text, violations=over, cases=len(last), of_privacy=True)
    yield _logarithmic({d: float(row["public_steps"]) for d, row in last.items()}, contraction(params))
    yield _constant(last, params)
    yield unharmed(groups[max(groups)], params)


def _level(row: pd.Series[Any], params: Mapping[str, Any]) -> float:
    """(2C²/σ²)·L^{2k}(1 − L²)/(1 − L^{2(k+1)}) of the last record, k public steps later (Theorem 22 at its best)."""
    own, k, square = 2.0 * (params["lipschitz"] / row["sigma"]) ** 2, row["public_steps"], contraction(params) ** 2
    return float(own * square**k * (1.0 - square) / (1.0 - square ** (k + 1.0)))


def _logarithmic(steps: dict[int, float], contraction: float) -> Claim:
    """2d L^{2k}(1 − L²) ≈ ε, so that k grows by 1/(2 ln 1/L) a unit of ln d, up to its rounding to whole steps."""
    text = "Θ(log d) public steps are enough at σ = C/√d (their number per unit of ln d)"
    low, high = min(steps), max(steps)
    if high < SPREAD * low or contraction ** (2.0 * (steps[low] + 1.0)) > 0.1:
        why = f"the dimensions are less than a factor {SPREAD} apart, or so few steps are enough that L^2k is not small"
        return untestable("logarithmic", SECTION, text, why, ours=True)
    width = math.log(high / low)
    measured = (steps[high] - steps[low]) / width
    expected = 1.0 / (-2.0 * math.log(contraction))
    tolerance = 1.0 / width + 0.06 * expected / width  # a whole step, and what L^2k is of 1
    return agrees("logarithmic", SECTION, text, expected=expected, measured=measured, tolerance=tolerance, ours=True)


def _constant(last: Mapping[int, pd.Series[Any]], params: Mapping[str, Any]) -> Claim:
    """The slope of ln ratio against ln d by least squares, and its standard error from those of the means."""
    marks: Marks = {"evidence": MONTE_CARLO, "ours": True}
    text = "the loss is that of SGD without noise up to a constant, which does not grow with d"
    low, high = min(last), max(last)
    if high < SPREAD * low or params["repeats"] < FEW or not settled(params):
        why = "the dimensions are close together, the repeats few, or the private steps do not reach the loss's level"
        return untestable("constant", SECTION, text, why, **marks)
    rows = pd.DataFrame(last.values())
    ratio = (rows["excess_loss"] / rows["excess_nonprivate"]).to_numpy(dtype=float)
    spread = np.hypot(*(rows[a].to_numpy(dtype=float) / rows[b].to_numpy(dtype=float) for a, b in MEANS))
    centred = np.log([*last]) - np.mean(np.log([*last]))
    slope = float(centred @ np.log(ratio) / (centred @ centred))
    error = float(np.sqrt(np.sum((centred * spread) ** 2)) / (centred @ centred))
    between = f"the ratio is {ratio.min():.3g} to {ratio.max():.3g}"
    text = f"{text}: {between}, like d to the power of 0 or less, up to {STANDARD_ERRORS:g} standard errors"
    return at_most("constant", SECTION, text, limit=0.0, measured=slope, tolerance=STANDARD_ERRORS * error, **marks)
