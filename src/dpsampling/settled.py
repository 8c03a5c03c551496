"""Whether anything has changed since a run that left nothing to do: then its engine need not plan it again.

A run that ended well is settled if its inputs are, by size and times, what they were when it began, and everything that
its jobs read and made is what their records say. What it was asked is then noted with the size and times of every file
of the project that decides a plan or is part of the results, and of what was read from elsewhere. A run that is asked
the same and finds the same is over at once; whatever differs, the engine looks at all of it.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from dpsampling import files, records, strict_json
from dpsampling.warlogs import located

NOTE = records.FOLDER / "settled.json"
# What decides a plan besides the options, and what a run may make; each is a file, a folder, or a link to one.
DECIDES = (
    "Snakefile",
    "requirements.lock",
    "pyproject.toml",
    ".venv/.ready",
    "config",
    "workflow",
    "src",
    "data/published",
)
MADE = ("data/raw", "data/simulated", "results", files.PRIVATE)
# Of a run with these options alone the engine says no more than whether something is to be done.
PLAIN = {"--cores", "--configfile"}

patterns: set[str] = set()  # what a run's inputs were found by, filled where it is planned
not_made: dict[str, list[str]] = {}  # what a run says of experiments that cannot be made, filled where it is planned


def is_plain(arguments: Sequence[str]) -> bool:
    """Whether the arguments are known options with a value each, and targets."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return len(options) % 2 == 0 and set(options[::2]) <= PLAIN


def state(places: Iterable[str]) -> str:
    """One word for the names, sizes and times of all files below these places."""
    told = hashlib.sha256()
    for place in places:
        for path in _below(place):
            told.update(f"{path}\0{_times(path)}\n".encode(errors="surrogateescape"))
    return told.hexdigest()


def still(asked: Any) -> list[str] | None:
    """What the settled run said of experiments that are not made, if this one is asked the same and all is the same."""
    try:
        note = strict_json.read(NOTE)
        if note["asked"] != asked or note["state"] != state((*DECIDES, *MADE, *note["elsewhere"])):
            return None
        return [str(line) for line in note["said"]]
    except (OSError, ValueError, KeyError, TypeError):
        return None


def settle(asked: Any, before: str, places: Iterable[str]) -> None:
    """Note a run that ended well, if its inputs are what they were `before`; `places` decide its plan besides."""
    NOTE.unlink(missing_ok=True)
    of_jobs = records.recorded()
    if of_jobs is None or state(DECIDES) != before:
        return
    elsewhere = sorted({*places, *patterns, *(path for path in of_jobs if not _is_looked_at(path))})
    said = [f"{experiment} is not made: {sentence}" for experiment, told in not_made.items() for sentence in told]
    now = state(
        (*DECIDES, *MADE, *elsewhere)
    )  # before the records are compared: what changes meanwhile is seen next time
    if not records.changed(of_jobs):
        note = {"asked": asked, "elsewhere": elsewhere, "said": said, "state": now}
        files.write_text(NOTE, json.dumps(note, ensure_ascii=False))


def asked(arguments: Sequence[str], profiles: Sequence[str]) -> list[Any]:
    """What a run was asked, of which engine."""
    return [list(arguments), list(profiles), sys.version]


def _is_looked_at(path: str) -> bool:
    return any(path == place or path.startswith(f"{place}/") for place in (*DECIDES, *MADE))


def _below(place: str) -> Iterator[str]:
    """The files of a folder in order, those behind links too, each folder once; or the place itself and its matches."""
    if not Path(place).is_dir():
        yield place
        yield from located.matches(place)
        return
    seen = set()
    for folder, folders, names in os.walk(place, followlinks=True):
        here = Path(folder).stat()
        if (here.st_dev, here.st_ino) in seen:
            folders.clear()
            continue
        seen.add((here.st_dev, here.st_ino))
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        yield from (f"{folder}/{name}" for name in sorted(names))


def _times(path: str) -> str:
    try:
        found = Path(path).stat()
    except OSError:
        return "gone"
    return f"{found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"
