"""CSV, strictly read: rows as wide as the header, whole to the last quote, in UTF-8; else an InputError with its line.

Readers that are kinder shift a ragged row's columns, or take half a file for a whole one. No text of a row is repeated.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

from dpsampling.errors import InputError
from dpsampling.files import regular_files

LARGEST = 64 << 20  # bytes of a table
LONGEST = 4 << 20  # characters of a line


def read(path: Path, remedy: str) -> str:
    """The text of a table that this project wrote, to the end of its last line; what is wrong ends with the remedy."""
    try:
        data = regular_files.content(path, LARGEST)
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist; {remedy}.") from error
    except OSError as error:
        raise InputError(f"{path} is not a CSV table ({error.strerror}); {remedy}.") from error
    text = checked(data, str(path), remedy)
    if not text.endswith("\n"):
        raise InputError(f"{path} is not a whole CSV table (its last line has no end); {remedy}.")
    return text


def checked(data: bytes, where: str, remedy: str, *, delimiter: str = ",", names: Iterable[str] = ()) -> str:
    """The text of a table with a header, or with the names that stand for one, every row as wide."""
    if b"\0" in data:
        raise InputError(f"{where} is not a CSV table (it has a zero byte); {remedy}.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{where} is not a CSV table in UTF-8; {remedy}.") from error
    found = rows(io.StringIO(text, newline=""), where, remedy, delimiter=delimiter)
    header = list(names) or next(found, (0, []))[1]
    if not any(name.strip() for name in header):
        raise InputError(f"{where} is not a CSV table (it is empty); {remedy}.")
    if len(set(header)) < len(header):
        raise InputError(f"{where} is not a CSV table (two of its columns have one name); {remedy}.")
    for line, row in found:
        if len(row) != len(header):
            count = f"{len(row)} fields for {len(header)} columns"
            raise InputError(f"{where}, line {line}: there are {count}; {remedy}.")
    return text


def rows(stream: TextIO, where: str, remedy: str, *, delimiter: str = ",") -> Iterator[tuple[int, list[str]]]:
    """Rows that are not empty lines, each with the number of its last line; of any width, as soon as they are there."""
    reader = csv.reader(lines(stream, where), delimiter=delimiter, strict=True)
    try:
        for row in reader:
            if row:
                yield reader.line_num, row
    except csv.Error as error:
        raise InputError(f"{where}, line {reader.line_num}: it is not CSV ({error}); {remedy}.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{where} is not a CSV file in UTF-8; {remedy}.") from error


def lines(stream: TextIO, where: str) -> Iterator[str]:
    """Lines that are no longer than a line can be, for one that never ends would be held whole."""
    while line := stream.readline(LONGEST):
        if len(line) == LONGEST:
            raise InputError(f"{where} has a line of more than {LONGEST} characters; name a CSV file.")
        yield line
