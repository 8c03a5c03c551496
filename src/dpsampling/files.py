"""Files that appear whole or not at all, with bytes that depend on their content alone.

What is written below a folder called `private` is its owner's alone: folders 0700, files 0600.
"""

from __future__ import annotations

import io
import json
import os
import re
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpsampling import regular_files, strict_csv
from dpsampling.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


PRIVATE = "private"  # where everything is that was read or counted from somebody's rows
_HOST = re.sub(r"[^0-9A-Za-z-]", "-", socket.gethostname())  # partials tell whose they are


@contextmanager
def staged(*targets: Path) -> Iterator[list[Path]]:
    """Paths beside the targets to write to; all of them take their targets' names when the block ends well.

    A killed or failing writer leaves the old files, or none, and never half of one, nor one of several.
    """
    partials: list[Path] = []
    target = targets[0]
    twice = [
        path for i, path in enumerate(targets) if Path(path).absolute() in {Path(p).absolute() for p in targets[:i]}
    ]
    if twice:
        raise InputError(f"{twice[0]} is named for two outputs; name a file for each.")
    try:
        partials.extend(_beside(Path(target)) for target in targets)
        yield partials
        folders = [target for target in targets if Path(target).is_dir()]
        if folders:
            raise InputError(f"{folders[0]} is a folder; name a file.")
        for target, partial in zip(targets, partials, strict=True):
            partial.replace(target)
    except OSError as error:
        if error.filename is not None and str(error.filename) not in map(str, partials):
            raise  # it is about another file than those written here
        raise InputError(f"{target} cannot be written ({error.strerror}); name a file in a folder you own.") from error
    finally:
        for partial in partials:
            partial.unlink(missing_ok=True)


@contextmanager
def atomic_path(target: Path) -> Iterator[Path]:
    """One path to write to, which takes the target's name when the block ends well."""
    with staged(target) as (partial,):
        yield partial


def _beside(target: Path) -> Path:
    """An empty file in the target's folder that everyone may read who may read the folder's other new files."""
    hidden = PRIVATE in target.absolute().parent.parts
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if hidden:
            close(target.parent)
        _sweep(target)
        # The suffix stays last: writers such as matplotlib read the format from it.
        descriptor, name = tempfile.mkstemp(
            prefix=f".{target.stem}.{_HOST}.{os.getpid()}.", suffix=f".part{target.suffix}", dir=target.parent
        )
    except OSError as error:
        raise InputError(f"{target} cannot be written ({error.strerror}); name a file in a folder you own.") from error
    os.close(descriptor)
    umask = os.umask(0)
    os.umask(umask)
    Path(name).chmod(0o600 if hidden else 0o666 & ~umask)  # mkstemp makes files that only their owner can read
    return Path(name)


def close(folder: Path) -> None:
    """Let nobody but their owner into the folders of a path from the one called `private` on."""
    parts = Path(folder).absolute().parts
    for end in range(parts.index(PRIVATE) + 1, len(parts) + 1):
        inner = Path(*parts[:end])
        inner.mkdir(mode=0o700, exist_ok=True)
        if inner.stat().st_mode & 0o077:
            inner.chmod(0o700)


def _sweep(target: Path) -> None:
    """Remove what a writer of the same target left behind when it was killed on this machine."""
    for left in target.parent.glob(f".{target.stem}.{_HOST}.*.part{target.suffix}"):
        pid = left.name.removeprefix(f".{target.stem}.{_HOST}.").partition(".")[0]
        if pid.isdigit() and not _runs(int(pid)):
            left.unlink(missing_ok=True)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    try:  # one that was killed and that nobody has waited for yet still has its number
        return not re.search(r"\) Z ", Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return True


def check_ending(path: Path | None, ending: str) -> None:
    """An InputError for an output, if there is one, whose name ends otherwise than what is written."""
    if path is not None and path.suffix.lower() != ending:
        raise InputError(f"{path} has another ending; this command writes {ending} files.")


def write_text(target: Path, text: str) -> None:
    """Write UTF-8 text with plain newlines, whole or not at all."""
    with atomic_path(target) as partial:
        partial.write_text(text, encoding="utf-8", newline="\n")


def write_json(target: Path, value: Any) -> None:
    """Write JSON that a person can read."""
    write_text(target, json_text(value))


def json_text(value: Any) -> str:
    """JSON that a person can read; it has no infinities."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def write_table(target: Path, table: pd.DataFrame) -> None:
    """Write a table as CSV: shortest decimals that read back to the same floats, `inf` for infinity, empty for none."""
    with atomic_path(target) as partial:
        put_table(partial, table)


def put_table(path: Path, table: pd.DataFrame) -> None:
    """The same into a path that is staged already."""
    table.to_csv(path, index=False, lineterminator="\n")


def sidecar(table: Path) -> Path:
    """The provenance file beside a table."""
    return Path(table).with_suffix(".provenance.json")


def checksum(path: Path) -> str:
    """SHA-256 of a file."""
    return regular_files.checksum(path)


def read_table(source: Path, command: str = "table") -> pd.DataFrame:
    """Read a CSV table that a command wrote."""
    import pandas as pd

    return pd.read_csv(io.StringIO(strict_csv.read(source, f"make it with 'dpsampling {command}'")))
