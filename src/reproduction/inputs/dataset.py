"""A data set of config/datasets: its rows with the columns that its file there declares.

title        what it is
source       where it is from, and under what licence
file         a CSV file, plain or gzip, as a path from the project's folder, such as data/raw/NAME.csv
sha256       its checksum, if the file is to be that very one
delimiter    between two fields (default: a comma)
names        the names of all columns in their order, where the file has no header
columns      {name: number | category}, those that are read; bounds tell a number and levels a category too

More than one file, or images, are no table, and neither are comments; `dpsampling.datasets` makes designs of these.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from dpsampling.datasets import descriptions
from dpsampling.datasets.tables import content
from dpsampling.errors import InputError
from dpsampling.files import checksum, strict_csv
from reproduction.inputs import Given, Raw, Supply

NO_TABLE = (pd.errors.EmptyDataError, pd.errors.ParserError, pd.errors.ParserWarning)


@dataclass(frozen=True)
class Dataset:
    """The rows of a data set; numbers are floats, categories are text."""

    name: str
    title: str
    rows: pd.DataFrame


def supply(parameters: Mapping[str, Any], given: Given, *, seed: int, stream: str, raw: Raw) -> Supply:
    """The data set that the parameter `dataset` names, from the given file or its own."""
    del seed, stream, raw
    name = parameters["dataset"]
    told = descriptions.description(name)
    _check_table(name, told)
    if len(given["dataset"]) > 1:
        raise InputError(f"--dataset is given {len(given['dataset'])} times; data set {name} is one file.")
    path = given["dataset"][0] if given["dataset"] else descriptions.places(told)[0]
    found = read(name, path)
    return Supply(found, {name: {"title": told["title"], "rows": len(found.rows), "sha256": checksum(path)}}, [path])


def read(name: str, path: Path) -> Dataset:
    """The rows, with the declared columns in their order, or an InputError."""
    told = descriptions.description(name)
    if not path.is_file():
        raise InputError(f"data set {name} is not at {path}; put the file there ({told['source']}).")
    if "sha256" in told and checksum(path) != told["sha256"]:
        raise InputError(f"{path} is not the file that data set {name} means: its SHA-256 is another; get it again.")
    columns = {column: _kind(told) for column, told in told["columns"].items()}
    rows = _rows(path, told)
    if rows.empty:
        raise InputError(f"{path} has no rows; data set {name} needs some.")
    missing = [column for column in columns if column not in rows]
    if missing:
        raise InputError(f"{path} has no column '{missing[0]}'; data set {name} declares {', '.join(columns)}.")
    return Dataset(name, told["title"], pd.DataFrame({c: _column(path, rows[c], kind) for c, kind in columns.items()}))


def _rows(path: Path, told: Mapping[str, Any]) -> pd.DataFrame:
    """All cells as text."""
    delimiter, names, remedy = told.get("delimiter", ","), told.get("names"), f"{told['title']} is a CSV table"
    text = strict_csv.checked(content(path, told["title"]), str(path), remedy, delimiter=delimiter, names=names or ())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            return pd.read_csv(
                io.StringIO(text), sep=delimiter, names=names, dtype=str, keep_default_na=False, index_col=False
            )
    except NO_TABLE as error:
        raise InputError(f"{path} is not a CSV table; {remedy}.") from error


def _check_table(name: str, told: Mapping[str, Any]) -> None:
    """That a data set is one table, and nothing besides."""
    if told.get("format", "csv") != "csv" or "comment" in told or len(descriptions.files(told)) > 1:
        raise InputError(f"data set {name} is no single table; make a design of it with 'dpsampling design {name}'.")


def _kind(told: str | Mapping[str, Any]) -> str:
    if isinstance(told, str):
        return told
    return "category" if "levels" in told else "number"


def _column(path: Path, column: pd.Series[str], kind: str) -> pd.Series[Any]:
    if kind == "category":
        return column.str.strip()
    numbers = pd.to_numeric(column, errors="coerce").astype(float)
    bad = ~(numbers.abs() < float("inf"))
    if bad.any():
        where = f"row {int(bad.to_numpy().argmax()) + 1}"
        raise InputError(f"{path} has no number in {where} of {column.name}, which holds numbers; correct it there.")
    return numbers
