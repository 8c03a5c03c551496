"""Rows of tables that say of each `statement`, and `case` of it, what came out `at` which point.

`exact` is what came out, `printed` what the source has for it, and `right` what should stand there.
"""

from __future__ import annotations

import pandas as pd


def rows_at(table: pd.DataFrame, statement: str, case: str | None = None) -> pd.DataFrame:
    """Return the rows of a statement, or of one case of it, by the point."""
    rows = table[(table["statement"] == statement) & ((table["case"] == case) | (case is None))]
    return rows.sort_values("at", kind="stable")


def error(rows: pd.DataFrame, column: str) -> float:
    """Return the largest distance of a column from `exact`."""
    return float((rows[column] - rows["exact"]).abs().max())


def errors(rows: pd.DataFrame) -> tuple[float, float]:
    """Return the largest distances of `printed` and of `right` from `exact`."""
    return error(rows, "printed"), error(rows, "right")


def excess(rows: pd.DataFrame, bound: str) -> float:
    """Return by how much `exact` is above a bound at most, or 0 where it nowhere is."""
    return max(0.0, float((rows["exact"] - rows[bound]).max()))


def above_printed(rows: pd.DataFrame, rounding: float) -> int:
    """Count the rows in which `exact` is above `printed`, by more than this share of it."""
    return int((rows["exact"] > rows["printed"] * (1.0 + rounding)).sum())
