"""What section 6.4.1 says of additional steps on public data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.claims import MONTE_CARLO, Claim, agrees, at_most, never, untestable
from dpsampling.experiments.amplification.gradient_steps import contraction, settled
from dpsampling.experiments.amplification.loss_claims import FEW, SECTION, unharmed

EVIDENCE = MONTE_CARLO

SPREAD = 16  # the least ratio of two dimensions over which growth is told from a constant
GROWTH = 0.15  # exponent of d that is taken for none: a factor 1.5 over that spread


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """Θ(log d) steps are enough for everyone's privacy, and the loss is that of SGD up to a constant."""
    groups = {int(str(d)): rows.sort_values("public_steps") for d, rows in table.groupby("dimension")}
    last = {d: rows.iloc[-1] for d, rows in groups.items()}
    over = sum(row["epsilon"] > params["epsilon"] for row in last.values())
    return [
        never("reached", SECTION, "after the public steps every record has ε_i ≤ ε", violations=over, cases=len(last)),
        _logarithmic({d: float(row["public_steps"]) for d, row in last.items()}, contraction(params)),
        _constant({d: float(row["excess_loss"] / row["excess_nonprivate"]) for d, row in last.items()}, params),
        unharmed(groups[max(groups)], params),
    ]


def _logarithmic(steps: dict[int, float], contraction: float) -> Claim:
    """2d L^{2k}(1 − L²) ≈ ε, so that k grows by 1/(2 ln 1/L) a unit of ln d, up to its rounding to whole steps."""
    text = "Θ(log d) public steps are enough at σ = C/√d (their number per unit of ln d)"
    low, high = min(steps), max(steps)
    if high < SPREAD * low or contraction ** (2.0 * (steps[low] + 1.0)) > 0.1:
        why = f"the dimensions are less than a factor {SPREAD} apart, or so few steps are enough that L^2k is not small"
        return untestable("logarithmic", SECTION, text, why)
    width = math.log(high / low)
    measured = (steps[high] - steps[low]) / width
    expected = 1.0 / (-2.0 * math.log(contraction))
    return agrees(
        "logarithmic", SECTION, text, expected=expected, measured=measured, tolerance=(1.0 + 0.06 * expected) / width
    )


def _constant(ratios: dict[int, float], params: Mapping[str, Any]) -> Claim:
    """The slope of ln ratio against ln d."""
    low, high = min(ratios), max(ratios)
    between = f"the ratio is {min(ratios.values()):.3g} to {max(ratios.values()):.3g}"
    text = f"the loss is that of SGD without noise up to a constant: {between}, which grows with d like d to the power"
    if high < SPREAD * low or params["repeats"] < FEW or not settled(params):
        why = "the dimensions are close together, the repeats few, or the private steps do not reach the loss's level"
        return untestable("constant", SECTION, "the loss is that of SGD without noise up to a constant", why)
    logs = np.log([*ratios]), np.log([*ratios.values()])
    slope = float(np.polyfit(*logs, 1)[0])
    return at_most("constant", SECTION, text, limit=0.0, measured=slope, tolerance=GROWTH)
