"""Claims of tables that have both sides of statements: `statement`, `left`, `right`, and the `cases` behind a row.

Of many cases a row has the one that is nearest to breaking its statement.
"""

from __future__ import annotations

from typing import Unpack

import numpy as np
import pandas as pd

from reproduction.claims import NO_CASE, Claim, Marks, agrees, corrected, never, untestable

ROUNDING = 1e-9  # of sums and quotients in floats: relative from 1 on, absolute below


def rows_of(table: pd.DataFrame, *statements: str) -> pd.DataFrame:
    """The rows of these statements."""
    return table[table["statement"].isin(statements)]


def excess(rows: pd.DataFrame) -> float:
    """By how much the left side is above the right one, at most; a right side above 1 is the unit."""
    return float(((rows["left"] - rows["right"]) / rows["right"].clip(lower=1.0)).max())


def distance(rows: pd.DataFrame) -> float:
    """The largest difference of both sides, in the same unit."""
    difference = (rows["left"] - rows["right"]).abs().where(rows["left"] != rows["right"], 0.0)
    return float((difference / rows["right"].abs().clip(lower=1.0)).max())


def below(table: pd.DataFrame, statement: str, name: str, source: str, text: str, **marks: Unpack[Marks]) -> Claim:
    """left ≤ right in every row."""
    rows = rows_of(table, statement)
    above = rows["left"] > rows["right"] + ROUNDING * rows["right"].clip(lower=1.0)
    bounded = rows[(rows["right"] > 0) & np.isfinite(rows["right"])]
    if len(bounded):
        text = f"{text}; the largest share of the bound is {(bounded['left'] / bounded['right']).max():.3g}"
    violations, cases = int(rows.loc[above, "cases"].sum()), int(rows["cases"].sum())
    return never(name, source, text, violations=violations, cases=cases, **marks)


def equal(
    table: pd.DataFrame,
    statement: str,
    name: str,
    source: str,
    text: str,
    *,
    tolerance: float = ROUNDING,
    **marks: Unpack[Marks],
) -> Claim:
    """left = right in every row."""
    rows = rows_of(table, statement)
    text = f"{text} (largest difference)"
    if rows.empty:
        return untestable(name, source, text, NO_CASE, **marks)
    error = distance(rows)
    return agrees(name, source, text, expected=0.0, measured=error, tolerance=tolerance, **marks)


def restated(
    table: pd.DataFrame,
    printed: str,
    right: str,
    name: str,
    source: str,
    text: str,
    *,
    correction: str,
    slip: bool,
    equality: bool = False,
    **marks: Unpack[Marks],
) -> Claim:
    """A statement as printed beside the right one; errors are differences, or by how much a bound is exceeded."""
    error, both = (distance if equality else excess), (rows_of(table, printed), rows_of(table, right))
    if any(rows.empty for rows in both):
        return untestable(name, source, text, NO_CASE, **marks)
    as_printed, as_corrected = (max(0.0, error(rows)) for rows in both)
    return corrected(
        name,
        source,
        text,
        correction=correction,
        error_as_printed=as_printed,
        error_as_corrected=as_corrected,
        tolerance=ROUNDING,
        slip=slip,
        **marks,
    )
