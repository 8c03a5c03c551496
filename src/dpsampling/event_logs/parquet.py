"""Rows of a Parquet file, of which DuckDB reads the wanted columns alone.

A moment that the file keeps in UTC and knows the zone of is told as the wall time there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from operator import add
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from dpsampling.errors import InputError
from dpsampling.event_logs.arrow_zones import zones_of
from dpsampling.event_logs.chunks import Chunk, Source, column, places, whole
from dpsampling.event_logs.duck import Duck, RefusedError
from dpsampling.files import regular_files

MAGIC = b"PAR1"
LONGEST, TOGETHER = 1 << 16, 1 << 17  # characters of a value, and of a row, that are read; longer ones are no category
ROWS = 1 << 12  # that are held at a time
ROWS_A_BYTE, ALLOWED = 100, 4 << 20  # rows that a byte may stand for, and that the first may besides
_PLAIN = {"VARCHAR", "BOOLEAN", "UUID", "TIME", "TIME_NS", "INTERVAL", '"NULL"'}
_NUMBERS = {"FLOAT", "DOUBLE"}
_WHOLE = {f"{sign}{size}" for sign in ("", "U") for size in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")}
_ZONED, _WALL = (
    {"TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS"},
    {"TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"},
)


@dataclass(frozen=True)
class Parquet(Source):
    """A Parquet file."""

    path: Path

    def chunks(self, wanted: Sequence[str], clocks: Mapping[str, str] = MappingProxyType({})) -> Iterator[Chunk]:
        """Yield all rows as they are."""
        del clocks
        with self._reading() as (found, given):
            header, columns, types = self._columns(found, given)
            at = places(self.name, header, wanted, lambda _: f" among its {len(header)}; name one of them")
            zones = zones_of(_all(found, f"SELECT key, value FROM parquet_kv_metadata({given})"))
            longest = min(LONGEST, TOGETHER // len(at))
            asked = [self._asked(header[i], columns[i], types[i], zones, longest) for i in at]
            timed = [n for n, i in enumerate(at) if types[i] in {"DATE", *_ZONED, *_WALL}]
            query = ", ".join(f"coalesce(CAST({text} AS VARCHAR), '')" for text in asked)
            row = 1
            for rows in found.rows(f"SELECT {query} FROM read_parquet({given}, binary_as_string = true)", ROWS):
                texts = [column(values) for values in zip(*rows, strict=True)]
                moments = {n: np.ones(len(rows), bool) for n in timed}
                yield Chunk(partial(add, row), *whole(texts), moments)
                row += len(rows)

    @contextmanager
    def _reading(self) -> Iterator[tuple[Duck, str]]:
        """Give a connection to nothing, and the open file as it is to be named there."""
        try:
            with regular_files.opened(self.path) as stream, Duck() as connection:
                yield connection, f"'/dev/fd/{stream.fileno()}'"
        except ImportError as error:
            raise InputError(
                f"{self.path} is a Parquet file, which needs duckdb, and that is not installed; "
                "pip install 'dpsampling[release]', or write the rows as CSV."
            ) from error
        except RefusedError:
            raise InputError(
                f"{self.path} is a Parquet file that is broken, cut short or has no valid text in a column of text; "
                "write it again."
            ) from None

    def _columns(self, found: Duck, given: str) -> tuple[list[str], list[str], list[str]]:
        """Return the columns' names in the file, their names here, which all differ, and their types."""
        sizes = f"SELECT sum(num_rows), max(file_size_bytes) FROM parquet_file_metadata({given})"
        ((rows, size),) = _all(found, sizes)
        if rows > ALLOWED + ROWS_A_BYTE * size:
            raise InputError(
                f"{self.path} says that it has {rows} rows in {size} bytes, as no table has; name another file."
            )
        described = _all(found, f"DESCRIBE SELECT * FROM read_parquet({given}, binary_as_string = true)")
        columns, types = map(list, list(zip(*described, strict=True))[:2])
        header = _outermost(_all(found, f"SELECT name, num_children FROM parquet_schema({given})"))
        return header if len(header) == len(columns) else columns, columns, types

    def _asked(self, name: str, column: str, kind: str, zones: dict[str, str], longest: int) -> str:
        """Return what is asked of a column: the text that `typed_text` would write."""
        quoted = '"' + column.replace('"', '""') + '"'
        kind = kind.partition("(")[0] if kind.startswith(("ENUM(", "DECIMAL(")) else kind
        if kind in _PLAIN or kind == "ENUM":
            return f"left(CAST({quoted} AS VARCHAR), {longest})"
        if kind in _WHOLE or kind == "DATE":
            return quoted
        if kind in _NUMBERS or kind == "DECIMAL":
            number = f"CAST({quoted} AS DOUBLE)"
            written = f"CAST({number if kind in _NUMBERS else quoted} AS VARCHAR)"
            return (
                f"CASE WHEN {quoted} IS NULL OR isnan({number}) THEN '' WHEN abs({number}) < 1e16 AND {quoted} = "
                f"trunc({quoted}) THEN CAST(CAST({quoted} AS BIGINT) AS VARCHAR) ELSE {written} END"
            )
        if kind in _ZONED:
            zone = zones.get(name, "UTC").replace("'", "''")
            return _iso(f"(TRY_CAST({quoted} AS TIMESTAMPTZ) AT TIME ZONE '{zone}')")
        if kind in _WALL:
            return _iso(quoted)
        raise InputError(
            f"column '{name}' of {self.path} is of type {kind[:40]}, which is no text, number or time; name another "
            "column, or write it as text."
        )


def _iso(moment: str) -> str:
    """Return the text of a moment to the second."""
    return f"replace(CAST(date_trunc('second', TRY_CAST({moment} AS TIMESTAMP)) AS VARCHAR), ' ', 'T')"


def _all(found: Duck, query: str) -> list[tuple[Any, ...]]:
    return [row for rows in found.rows(query) for row in rows]


def _outermost(elements: Sequence[tuple[Any, ...]]) -> list[str]:
    """The names of the columns, of a schema's elements in the order of a walk through them, the root first."""
    names, inside = [], 0
    for name, children in elements[1:]:
        if inside == 0:
            names.append(name)
        else:
            inside -= 1
        inside += children or 0
    return names
