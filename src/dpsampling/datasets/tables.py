"""CSV files as rows: only the columns that a recipe wants are kept, their cells stripped of white space."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

from dpsampling.datasets.recipe import Recipe
from dpsampling.datasets.rows import Rows
from dpsampling.errors import InputError
from dpsampling.files import regular_files, strict_csv


def read(recipe: Recipe, paths: Sequence[Path]) -> Rows:
    """The rows of all files, one below the other."""
    cells: dict[str, list[str]] = {column: [] for column in recipe.wanted}
    lines: list[int] = []
    counts = []
    for path in paths:
        before = len(lines)
        _add(recipe, path, cells, lines)
        counts.append((path, len(lines) - before))
    return Rows(cells, None, tuple(counts), lines)


def _add(recipe: Recipe, path: Path, cells: dict[str, list[str]], lines: list[int]) -> None:
    """The rows of one file, added to those before."""
    remedy = f"{recipe.title} is a CSV table"
    text = strict_csv.checked(
        _without_comments(content(path, recipe.title), recipe.comment),
        str(path),
        remedy,
        delimiter=recipe.delimiter,
        names=recipe.names,
    )
    found = strict_csv.rows(io.StringIO(text, newline=""), str(path), remedy, delimiter=recipe.delimiter)
    header = list(recipe.names) or next(found)[1]
    missing = [column for column in cells if column not in header]
    if missing:
        raise InputError(f"{path} has no column '{missing[0]}', which data set {recipe.name} declares; correct either.")
    at = [(cells[column], header.index(column)) for column in cells]
    for line, row in found:
        lines.append(line)
        for column, i in at:
            column.append(row[i].strip())


def content(path: Path, title: str) -> bytes:
    """The bytes of a file, unpacked if it is gzipped."""
    try:
        return regular_files.unpacked(path, strict_csv.LARGEST, remedy="a data set is a smaller table")
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); put {title} there.") from error


def _without_comments(data: bytes, comment: str) -> bytes:
    """The lines that are rows; the others are left empty, so that every row keeps its number."""
    if not comment:
        return data
    sign = comment.encode()
    return b"\n".join(b"" if line.startswith(sign) else line for line in data.split(b"\n"))
