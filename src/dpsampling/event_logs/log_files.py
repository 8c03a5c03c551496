"""The files that a log's rows are in: one, several, or what a pattern such as `data/2023-*.csv.gz` names, by name.

A text with `*`, `?` or `[…]` is a pattern, unless it is the name of a file and matches no other. What begins with a dot
is matched only by a dot, so that files which are being written are not rows.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence
from glob import glob, has_magic
from pathlib import Path

from dpsampling.errors import InputError

MOST = 10_000  # files of one log
LONGEST, DEEPEST = 1000, 5  # characters of a pattern, and folders in it that are patterns: with links they multiply
MOST_OF_A_RUN, NAMES_OF_A_RUN = 500, 50_000  # files, and characters of their names: the system's limits for one command


def texts(told: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return what a description says of its files, one text or several, as several."""
    return () if told is None else (told,) if isinstance(told, str) else tuple(told)


def files(told: Iterable[str | Path], what: str) -> tuple[Path, ...]:
    """The files that are told of, in that order, each once; `what` is what a sentence calls the list of them."""
    found = tuple(path for text in told for path in _matched(str(text), what))
    if len(found) > MOST:
        raise InputError(f"{what} has {len(found)} files, more than {MOST}; join some of them.")
    seen: dict[object, Path] = {}
    for path in found:
        status = _status(path)
        other = seen.setdefault((status.st_dev, status.st_ino) if status else str(path), path)
        if other is not path:
            again = "twice" if other == path else f"and {other}, which is the same file"
            raise InputError(f"{what} names {path} {again}; name each file once.")
        if status and stat.S_ISDIR(status.st_mode) and len(found) > 1:
            raise InputError(f"{what} names {path}, which is a folder; name the files in it, as in {path}/*.csv.")
    return found


def of_a_run(told: Iterable[str | Path], what: str) -> tuple[Path, ...]:
    """The same with names that the workflow can hand to its jobs."""
    found = files(told, what)
    if len(found) > MOST_OF_A_RUN or sum(len(str(path)) for path in found) > NAMES_OF_A_RUN:
        raise InputError(
            f"{what} has {len(found)} files, and the workflow reads at most {MOST_OF_A_RUN} of one log, whose names "
            f"have at most {NAMES_OF_A_RUN} characters together; join some of them."
        )
    odd = next((path for path in found if not _is_plain(str(path))), None)
    if odd is not None:
        raise InputError(
            f"{what} names {odd}, which has braces or other signs that the workflow cannot take; rename that file."
        )
    return found


def matches(pattern: str) -> list[str]:
    """The files that match a pattern, by name; none if it is no pattern."""
    return sorted(glob(pattern)) if has_magic(pattern) else []  # noqa: PTH207  # it may be absolute


def called(paths: Sequence[Path]) -> str:
    """Return what a sentence calls these files."""
    return str(paths[0]) if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"


def _matched(text: str, what: str) -> list[Path]:
    """The file of this name, or those that match it."""
    if not text:
        raise InputError(f"{what} has an empty name; name a file with rows.")
    if not has_magic(text):
        return [Path(text)]
    if len(text) > LONGEST or sum(map(has_magic, Path(text).parts[:-1])) > DEEPEST:
        raise InputError(f"{what} has a pattern of more than {LONGEST} characters or {DEEPEST} folders; shorten it.")
    if "**" in text:
        raise InputError(f"{what} has '**' in a pattern; write a pattern for the folders of each depth, as in */*.csv.")
    try:
        found = matches(text)
        itself = os.path.lexists(text)
    except ValueError as error:
        raise InputError(f"{what} has a pattern that no file can match; name files that are there.") from error
    if itself and text not in found:
        if found:
            raise InputError(
                f"{what} names {text}, which is a file and also a pattern that {found[0]} matches; rename that file."
            )
        return [Path(text)]
    if not found:
        raise InputError(f"{what} has the pattern {text}, which no file matches; name files that are there.")
    return [Path(name) for name in found]


def _is_plain(name: str) -> bool:
    """Whether a name is printable text, no option, and without braces, which the workflow takes for wildcards."""
    return name.isprintable() and not name.startswith("-") and not set(name) & set("{}")


def _status(path: Path) -> os.stat_result | None:
    """Return what the system says of a file, if it says anything; whoever reads the file says why not."""
    try:
        return path.stat()
    except (OSError, ValueError):
        return None
