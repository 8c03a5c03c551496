"""Means over repeats with their errors, and what pictures of learners say of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd


def summary(name: str, values: Sequence[float]) -> dict[str, Any]:
    """Return, under a name, the mean of independent repeats, and beside it their standard deviation and its error."""
    sd = float(np.std(values, ddof=1)) if len(values) > 1 else None
    error = None if sd is None else sd / math.sqrt(len(values))
    return {name: float(np.mean(values)), "sd": sd, "standard_error": error, "repeats": len(values)}


def spread(rows: pd.DataFrame) -> str:
    """Say of how many repeats means are, and what their bars show."""
    many = rows.loc[rows["standard_error"].notna(), "repeats"]
    if not len(many):
        return "means ± 2 standard errors"
    least, most = int(many.min()), int(many.max())
    repeats = f"{most}" if least == most else f"{least} to {most}"
    return f"means of {repeats} repeats ± 2 standard errors"
