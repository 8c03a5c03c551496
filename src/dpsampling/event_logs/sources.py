"""Where rows come from: a CSV file, a Parquet file, or a frame; which one it is, its content decides."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dpsampling.errors import InputError
from dpsampling.event_logs.chunks import Source
from dpsampling.event_logs.delimited import Delimited
from dpsampling.event_logs.frames import Frame, is_frame
from dpsampling.event_logs.parquet import MAGIC, Parquet
from dpsampling.event_logs.schema import LogSchema
from dpsampling.files import regular_files


def build(schema: LogSchema, source: Any) -> Source:
    """The rows of a path or a frame."""
    if not isinstance(source, str | os.PathLike):
        if is_frame(source):
            return Frame(source)
        raise InputError(
            f"rows are of type {type(source).__name__}; give the path of a CSV or Parquet file, or a frame of pandas, "
            "polars or pyarrow that is in memory."
        )
    path = Path(source)
    if is_parquet(path):
        return Parquet(path)
    return Delimited(path, schema.delimiter, schema.encoding, schema.header, schema.columns, schema.said)


def check(path: Path) -> None:
    """Check that it is a file which can be read."""
    with _telling_of(path), regular_files.opened(path):
        pass


def is_parquet(path: Path) -> bool:
    """Return whether a file begins as Parquet does, whatever its name."""
    with _telling_of(path), regular_files.opened(path) as stream:
        return stream.read(len(MAGIC)) == MAGIC


@contextmanager
def _telling_of(path: Path) -> Iterator[None]:
    """Why a file cannot be opened, in one sentence."""
    try:
        yield
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist; name the CSV or Parquet file with the rows.") from error
    except IsADirectoryError as error:
        raise InputError(f"{path} is a folder; name the CSV or Parquet file with the rows in it.") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); name the CSV or Parquet file.") from error
