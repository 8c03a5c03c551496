"""Rows of tables that say of each `statement`, and `case` of it, what came out `at` which point."""

from __future__ import annotations

import pandas as pd


def rows_at(table: pd.DataFrame, statement: str, case: str | None = None) -> pd.DataFrame:
    """The rows of a statement, or of one case of it, by the point."""
    rows = table[(table["statement"] == statement) & ((table["case"] == case) | (case is None))]
    return rows.sort_values("at", kind="stable")
