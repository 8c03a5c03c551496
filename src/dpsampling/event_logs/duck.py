"""DuckDB as a reader of tables: a connection to nothing, which writes nothing anywhere and follows no address.

A file is handed to it by the number under which it is open, so that no character of a name means anything and nothing
else is opened in its place. What it says of a broken file may quote the rows, and is not repeated.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from threading import Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

SETTINGS: dict[str, Any] = {
    "temp_directory": "",  # nothing spills to the disk
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_persistent_secrets": False,
    "memory_limit": "2GB",
    "threads": 1,
}
_NOTHING = secrets.token_hex()  # a text that no field is


class RefusedError(Exception):
    """DuckDB cannot read what it was given."""


class Duck:
    """A connection; an ImportError says that DuckDB is not installed."""

    def __init__(self) -> None:
        import duckdb

        self._connection, self._error = duckdb.connect(":memory:", config=SETTINGS), duckdb.Error
        self._connection.execute("SET enable_progress_bar = false")  # which it draws into whatever is written

    def __enter__(self) -> Duck:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def rows(self, query: str, most: int = 1 << 30) -> Iterator[list[tuple[Any, ...]]]:
        """Yield what is asked for, so many rows at a time."""
        with self._refusing():
            result = self._connection.execute(query)
            while rows := result.fetchmany(most):
                yield rows

    def csv_rows(
        self, data: bytes, delimiter: str, width: int, at: Sequence[int], longest: int, clocks: Mapping[int, str]
    ) -> tuple[list[NDArray[np.object_]], NDArray[np.int64], NDArray[np.int64]]:
        """Return some columns of rows of text, all of which have `width` fields and at most `longest` bytes.

        Alike rows come once, with how many they are and the place of the first, in the order of these. A time of day
        at the end of a column's text is midnight if it matches what `clocks` has for that place.
        """
        types = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(width))
        asked = [
            f"regexp_replace(c{i}, '{clocks[i]}$', '\\100:00:00')" if i in clocks and at.count(i) == 1 else f"c{i}"
            for i in at
        ]
        chosen = ", ".join(f"{text} AS w{i}" for i, text in enumerate(asked))
        with self._refusing(), _piped(data) as name:
            rows = (
                f"SELECT {chosen}, row_number() OVER () - 1 AS place FROM read_csv('{name}', columns = {{{types}}}, "
                f"delim = '{delimiter}', quote = '\"', escape = '\"', comment = '', nullstr = '{_NOTHING}', "
                "auto_detect = false, header = false, strict_mode = true, null_padding = false, ignore_errors = false, "
                f"parallel = false, compression = 'none', max_line_size = {longest})"
            )
            found: dict[str, Any] = self._connection.execute(
                f"SELECT * EXCLUDE (place), count(*) AS times, min(place) AS first FROM ({rows}) GROUP BY ALL"
            ).fetchnumpy()
        order = np.argsort(found["first"], kind="stable")
        return [found[f"w{i}"][order] for i in range(len(at))], found["times"][order], found["first"][order]

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        try:
            yield
        except self._error:
            raise RefusedError from None


@contextmanager
def _piped(data: bytes) -> Iterator[str]:
    """Give the name of a pipe from which data can be read."""
    reading, writing = os.pipe()

    def write() -> None:
        with suppress(BrokenPipeError), os.fdopen(writing, "wb") as stream:
            stream.write(data)

    thread = Thread(target=write)
    thread.start()
    try:
        yield f"/dev/fd/{reading}"
    finally:
        os.close(reading)
        thread.join()
