"""What the thesis says of the loss after public steps, for the experiments that run them (thesis section 6.4.1)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from reproduction.claims import MONTE_CARLO, Claim, Marks, at_most, untestable
from reproduction.experiments.amplification.gradient_steps import settled

SECTION = "thesis section 6.4.1"
STANDARD_ERRORS = 4.0  # which equal means are apart by with probability below 6.4e-5
MARKS: Marks = {"evidence": MONTE_CARLO, "ours": True}
FEW = 50  # repeats, below which a mean over its standard error is not close to normal


def unharmed(rows: pd.DataFrame, params: Mapping[str, Any]) -> Claim:
    """The loss with the most public steps against that with none; `rows` are in the order of public steps."""
    text = "public steps cost no loss: mean excess after the most of them, less that after none, in standard errors"
    if params["repeats"] < FEW or not settled(params):
        return untestable(
            "loss", SECTION, text, "the private steps alone do not reach the loss's level, or repeats are few", **MARKS
        )
    first, last = rows.iloc[0], rows.iloc[-1]
    error = math.hypot(first["sem"], last["sem"])
    measured = float((last["excess_loss"] - first["excess_loss"]) / error) if len(rows) > 1 else 0.0
    return at_most("loss", SECTION, text, limit=STANDARD_ERRORS, measured=measured, **MARKS)
