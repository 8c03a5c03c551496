"""Table 7.1: the profiles of the categorical chain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd


def table(params: Mapping[str, Any]) -> pd.DataFrame:
    """One row a profile and category."""
    rows = [
        (i, y, probability)
        for i, row in enumerate(params["categorical"], start=1)
        for y, probability in enumerate(row, start=1)
    ]
    return pd.DataFrame(rows, columns=["profile", "category", "probability"])
