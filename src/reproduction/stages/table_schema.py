"""Tables that were written before, as the later stages read them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, get_args

import pandas as pd
from pandas.api.types import is_bool_dtype, is_integer_dtype, is_numeric_dtype

from dpsampling.errors import InputError
from dpsampling.files import read_table


def read(path: Path, columns: Mapping[str, Any], experiment: str) -> pd.DataFrame:
    """The table of an experiment whose columns and types are these, or an InputError."""
    table = read_table(path)
    if list(table.columns) != list(columns):
        raise InputError(
            f"{path} has the columns {', '.join(table.columns)}; a table of {experiment} has {', '.join(columns)}."
        )
    if table.empty:
        raise InputError(f"{path} has no rows; make it again with 'dpsampling table {experiment}'.")
    check(table, columns, str(path), "make it again with 'dpsampling table'")
    return table


def check(table: pd.DataFrame, columns: Mapping[str, Any], where: str, remedy: str) -> None:
    """Numbers where numbers belong, and no empty cells but where they are meant."""
    for name, kind in columns.items():
        _check(where, table[name], kind, remedy)


def _check(where: str, column: pd.Series[Any], kind: Any, remedy: str) -> None:
    kinds = set(get_args(kind)) if isinstance(kind, UnionType) else {kind}
    again = f"in the column {column.name}; {remedy}."
    if NoneType not in kinds and column.isna().any():
        raise InputError(f"{where} has empty cells {again}")
    if str not in kinds and (not is_numeric_dtype(column) or is_bool_dtype(column)):
        raise InputError(f"{where} has words {again}")
    if int in kinds and float not in kinds and not is_integer_dtype(column.dropna().convert_dtypes()):
        raise InputError(f"{where} has fractions where whole numbers belong {again}")
