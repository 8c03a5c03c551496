"""Rows of a table by what stands in their columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

Finder = Callable[..., pd.DataFrame]


def where(table: pd.DataFrame, by: str = "", **values: Any) -> pd.DataFrame:
    """Return the rows with this value in each column named, or with one of a tuple of values, in the order of `by`."""
    for column, value in values.items():
        table = table[table[column].isin(value) if isinstance(value, tuple) else table[column] == value]
    return table.sort_values(by, kind="stable") if by else table


def finder(table: pd.DataFrame, column: str = "statement") -> Finder:
    """Return the function that finds all rows with one of its arguments in this column."""
    return lambda *values: table[table[column].isin(values)]
