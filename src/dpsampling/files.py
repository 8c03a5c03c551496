"""Files that appear whole or not at all, with bytes that depend on their content alone."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpsampling.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


@contextmanager
def atomic_path(target: Path) -> Iterator[Path]:
    """A path beside `target` to write to; it takes the target's name when the block ends well.

    A killed or failing writer leaves the old file, or none, and never half of one.
    """
    target = Path(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        # The suffix stays last: writers such as matplotlib read the format from it.
        descriptor, name = tempfile.mkstemp(
            prefix=f".{target.stem}.", suffix=f".part{target.suffix}", dir=target.parent
        )
    except OSError as error:
        raise InputError(f"{target} cannot be written ({error.strerror}); name a file in a folder you own.") from error
    os.close(descriptor)
    partial = Path(name)
    try:
        yield partial
        umask = os.umask(0)
        os.umask(umask)
        partial.chmod(0o666 & ~umask)  # mkstemp makes files that only their owner can read
        try:
            partial.replace(target)
        except IsADirectoryError as error:
            raise InputError(f"{target} is a folder; name a file.") from error
    finally:
        partial.unlink(missing_ok=True)


def write_text(target: Path, text: str) -> None:
    """Write UTF-8 text with plain newlines, whole or not at all."""
    with atomic_path(target) as partial:
        partial.write_text(text, encoding="utf-8", newline="\n")


def write_json(target: Path, value: Any) -> None:
    """Write JSON that a person can read."""
    write_text(target, json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def write_table(target: Path, table: pd.DataFrame) -> None:
    """Write a table as CSV: shortest decimals that read back to the same floats, `inf` for infinity, empty for none."""
    with atomic_path(target) as partial:
        table.to_csv(partial, index=False, lineterminator="\n")


def read_table(source: Path) -> pd.DataFrame:
    """Read a CSV table that `write_table` wrote."""
    import pandas as pd

    try:
        return pd.read_csv(source)
    except FileNotFoundError as error:
        raise InputError(f"{source} does not exist; make it with 'dpsampling table'.") from error
    except (OSError, UnicodeDecodeError, pd.errors.EmptyDataError, pd.errors.ParserError) as error:
        raise InputError(f"{source} is not a CSV table ({error}); make it with 'dpsampling table'.") from error
