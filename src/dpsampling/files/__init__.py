"""Files that appear whole or not at all, with bytes that depend on their content alone.

What is written below a folder called `private` is its owner's alone: folders 0700, files 0600. Only regular files are
replaced: a link is followed to the one that it leads to and stays a link, of a file with several names the others keep
what it held, and folders, devices, pipes, sockets and links to nothing are refused.
"""

from __future__ import annotations

import errno
import glob
import io
import json
import os
import re
import socket
import stat
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpsampling.errors import InputError, reason
from dpsampling.files import regular_files, strict_csv

if TYPE_CHECKING:
    import pandas as pd


PRIVATE = "private"  # where everything is that was read or counted from somebody's rows
CAPTION = "Comment"  # under which of its words a PNG file holds what it shows
HOST = re.sub(r"[^0-9A-Za-z-]", "-", socket.gethostname())  # partials tell whose they are


_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
}
_ELSEWHERE = "make room there, or name a file on another disk"
_REASONS = {  # where the system's own words, or the usual remedy, would lead astray
    errno.ENOSPC: ("the disk is full", _ELSEWHERE),
    errno.EDQUOT: ("your share of the disk is used up", _ELSEWHERE),
    errno.EROFS: ("the disk can only be read", "name a file on another disk"),
    errno.EFBIG: ("it grows larger than is allowed", "raise the limit with 'ulimit -f'"),
    errno.EMFILE: ("too many files are open", "raise the limit with 'ulimit -n'"),
    errno.ENFILE: ("too many files are open on this machine", "try again when it is less busy"),
    errno.ENAMETOOLONG: ("its name is too long", "give it a shorter one"),
    errno.ELOOP: ("its links lead in a circle", "name a file"),
}


@contextmanager
def staged(*targets: Path) -> Iterator[list[Path]]:
    """Paths beside the targets to write to; all of them take the targets' places when the block ends well.

    A killed or failing writer leaves the old files, or none, and never half of one, nor one of several.
    """
    partials: list[Path] = []
    check_apart(targets)
    try:
        partials.extend(_beside(Path(target)) for target in targets)
        yield partials
        places = [resolve_target(Path(target)) for target in targets]
        for partial, there in zip(partials, places, strict=True):
            partial.replace(there)
    except OSError as error:
        if error.filename is not None and str(error.filename) not in map(str, partials):
            raise  # it is about another file than those written here
        raise unwritable(Path(targets[0]), error) from error
    finally:
        for partial in partials:
            partial.unlink(missing_ok=True)


@contextmanager
def atomic_path(target: Path) -> Iterator[Path]:
    """One path to write to, which takes the target's name when the block ends well."""
    with staged(target) as (partial,):
        yield partial


def resolve_target(target: Path) -> Path:
    """Return where a file of this name is written; raise InputError if what is there may not be replaced."""
    try:
        kind = stat.S_IFMT(target.stat().st_mode)
    except FileNotFoundError as error:
        if target.is_symlink():
            raise InputError(f"{target} is a link to nothing; remove it, or name a file.") from error
        return target
    except (OSError, ValueError) as error:
        raise unwritable(target, error) from error
    if kind != stat.S_IFREG:
        raise InputError(f"{target} is {_KINDS.get(kind, 'no file')}; name a file.")
    return target.resolve() if target.is_symlink() else target


def check_apart(outputs: Sequence[Path], inputs: Iterable[Path] = ()) -> None:
    """That outputs can be written, each to a place of its own, and none over what it is made from."""
    for path in outputs:
        resolve_target(path)
    for i, path in enumerate(outputs):
        if any(_same(path, other) for other in outputs[:i]):
            raise InputError(f"{path} is named for two outputs; name a file for each.")
    for path in outputs:
        for source in inputs:
            if _same(path, source):
                raise InputError(f"{path} would replace {source}, which it is made from; name another file to write.")


def _same(one: Path, other: Path) -> bool:
    """Whether two names are of one file, which need not be there."""
    try:
        with suppress(OSError):
            return one.samefile(other)
        return os.path.realpath(one) == os.path.realpath(other)
    except ValueError:  # no file has such a name
        return False


def unwritable(target: Path, error: Exception) -> InputError:
    """What is said of a file that cannot be written, with what helps."""
    return InputError("{} cannot be written ({}); {}.".format(target, *why(error)))


def why(error: Exception) -> tuple[str, str]:
    """Why a file cannot be written, and what helps."""
    usual = (reason(error), "name a file in a folder you own")
    return _REASONS.get(error.errno or 0, usual) if isinstance(error, OSError) else usual


@contextmanager
def inherit_permissions(*sources: Path) -> Iterator[None]:
    """Make files written inside this block no more readable than the given sources."""
    denied = 0
    for source in sources:
        with suppress(OSError, ValueError):  # who reads it will say what is wrong with it
            denied |= _denied(source.stat())
    before = os.umask(0o077)  # there is no other way to read it
    os.umask(before | denied)
    try:
        yield
    finally:
        os.umask(before)


def _denied(status: os.stat_result) -> int:
    """What a file denies to its group and to others; who is in another group than its own is of the others."""
    given = status.st_mode & 0o077
    if status.st_gid != os.getegid():
        given &= 0o007 | (given & 0o007) << 3
    readable = given & 0o044
    return 0o077 & ~(given & 0o022 | readable | readable >> 2)  # folders are entered by those who may read


def _beside(target: Path) -> Path:
    """An empty file in the folder of the target's place, with the permissions that new files have there."""
    there = resolve_target(target)
    hidden = PRIVATE in there.absolute().parent.parts
    try:
        there.parent.mkdir(parents=True, exist_ok=True)
        if hidden:
            close(there.parent)
        _sweep(there)
        # The suffix stays last: writers such as matplotlib read the format from it.
        descriptor, name = tempfile.mkstemp(
            prefix=f".{there.stem}.{HOST}.{os.getpid()}.", suffix=f".part{there.suffix}", dir=there.parent
        )
    except OSError as error:
        raise unwritable(target, error) from error
    os.close(descriptor)
    umask = os.umask(0)
    os.umask(umask)
    Path(name).chmod((0o600 if hidden else 0o666) & ~umask)  # mkstemp makes files that only their owner can read
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
    for left in left_behind(target.parent, f".{target.stem}.", f".part{target.suffix}"):
        left.unlink(missing_ok=True)


def left_behind(folder: Path, begin: str, end: str) -> Iterator[Path]:
    """What is called BEGIN HOST.PID.… END in a folder, of processes of this machine that run no longer."""
    begin = f"{begin}{HOST}."
    for left in folder.glob(f"{glob.escape(begin)}*{glob.escape(end)}"):
        pid = left.name.removeprefix(begin).partition(".")[0]
        if pid.isdigit() and not runs(int(pid)):
            yield left


def runs(pid: int) -> bool:
    """Whether a process of this number runs on this machine."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):  # no process has a number that large
        return False
    except PermissionError:
        return True
    try:  # one that was killed and that nobody has waited for yet still has its number
        return not re.search(r"\) Z ", Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return True


def check_ending(path: Path, endings: Sequence[str]) -> None:
    """An InputError for an output whose name ends otherwise than what is written."""
    if path.suffix.lower() not in endings:
        allowed = " or ".join(filter(None, (", ".join(endings[:-1]), endings[-1])))
        raise InputError(f"{path} has another ending; this command writes {allowed} files.")


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
