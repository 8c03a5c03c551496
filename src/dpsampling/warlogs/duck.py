"""DuckDB as a reader of tables: a connection to nothing, which writes nothing anywhere and follows no address."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from typing import Any

SETTINGS: dict[str, Any] = {
    "temp_directory": "",  # nothing spills to the disk
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "memory_limit": "2GB",
    "threads": 1,
}

_NOTHING = secrets.token_hex()  # a text that no field is


@contextmanager
def connected() -> Iterator[Any]:
    """Give a connection, or raise an ImportError where DuckDB is not installed."""
    import duckdb

    with duckdb.connect(":memory:", config=SETTINGS) as connection:
        yield connection


def csv_columns(connection: Any, data: bytes, delimiter: str, width: int, at: list[int], longest: int) -> Any:
    """Return columns of rows of text, all of which have so many fields; whatever else DuckDB finds is its error."""
    types = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(width))
    chosen = ", ".join(f"c{place} AS w{i}" for i, place in enumerate(at))
    with _piped(data) as name:
        found = connection.execute(
            f"SELECT {chosen} FROM read_csv('{name}', columns = {{{types}}}, auto_detect = false, header = false, "
            f"delim = '{delimiter}', quote = '\"', escape = '\"', comment = '', nullstr = '{_NOTHING}', "
            "strict_mode = true, null_padding = false, ignore_errors = false, parallel = false, compression = 'none', "
            f"max_line_size = {longest})"
        ).fetchnumpy()
    return [found[f"w{i}"] for i in range(len(at))]


@contextmanager
def _piped(data: bytes) -> Iterator[str]:
    """Give the name of a pipe from which data can be read."""
    reading, writing = os.pipe()

    def write() -> None:
        with suppress(BrokenPipeError), os.fdopen(writing, "wb", buffering=0) as stream:
            view = memoryview(data)
            while view:
                view = view[stream.write(view) :]

    thread = Thread(target=write)
    thread.start()
    try:
        yield f"/dev/fd/{reading}"
    finally:
        os.close(reading)
        thread.join()
