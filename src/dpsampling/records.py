"""What every job of the workflow read and made, so that nothing else is taken for a result.

When a job ends well, its record says what its outputs are, by SHA-256, and what its inputs were when it began. When a
run starts, the jobs that it needs are compared with their records, by size and time stamp first. A job whose outputs
are missing, empty or others, or whose inputs are others, has its seal broken: a file that is an input of the job and is
written anew, so that the engine runs it again, whatever times the files bear.
"""

from __future__ import annotations

import json
import os
import stat
import sys
import time
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from dpsampling import files, strict_json

FOLDER = Path(".snakemake/dpsampling")  # engine state, like what Snakemake itself notes of jobs
_planned: list[Path] = []  # the seals of all jobs that were examined in this process


class Stamp(NamedTuple):
    """A file's content, and by what it is known again without reading it; the system alone sets the time."""

    size: int
    changed: int
    sha256: str


def seal_of(job: str) -> Path:
    """The seal of a job; its record is beside it."""
    return FOLDER / f"{job}.seal"


def stamps(paths: Iterable[str]) -> dict[str, Stamp]:
    """What these files are now."""
    return {path: _stamp(path) for path in dict.fromkeys(paths)}


def changed(before: Mapping[str, Stamp]) -> list[str]:
    """Which of these files are others now, or are gone."""
    return [path for path, stamp in before.items() if _fault(path, stamp)]


def write(seal: Path, reads: Mapping[str, Stamp], makes: Iterable[str]) -> None:
    """The record of a job that ended well."""
    told = {"seal": seal.read_text(encoding="utf-8"), "reads": reads, "makes": stamps(makes)}
    files.write_text(_record(seal), json.dumps(told, ensure_ascii=False))


@cache  # the engine asks more than once
def examined(job: str, stale: bool = False) -> Path:
    """The seal of a job, broken if its outputs or its inputs are not as recorded; each such output is said.

    It is broken too where the job is stale for a reason that no file of its own shows. A job without a record has not
    ended, or nobody knows how. A whole folder that is gone was taken away on purpose.
    """
    seal = seal_of(job)
    _planned.append(seal)
    found = _read(seal)
    if found is None:
        _break(seal)
        return seal
    reads, makes, whole = found
    wrong = {path: fault for path, stamp in makes.items() if (fault := _fault(path, stamp))}
    for path, fault in wrong.items():
        if Path(path).parent.is_dir():
            sys.stderr.write(f"dpsampling: {path} {fault}; it is made again.\n")
    if wrong or stale or any(_moved(path, stamp) for path, stamp in reads.items()):
        _break(seal)
    elif not seal.is_file() or seal.read_text(encoding="utf-8") != whole:
        files.write_text(seal, whole)  # a change was taken back before anything was made of it
    return seal


def recorded() -> dict[str, Stamp] | None:
    """What the planned jobs have read and made, if all of them have a record, and agree about it."""
    files_of_all: dict[str, Stamp] = {}
    for seal in _planned:
        found = _read(seal)
        if found is None:
            return None
        for path, stamp in (*found.reads.items(), *found.makes.items()):
            if files_of_all.setdefault(path, stamp).sha256 != stamp.sha256:
                return None
    return files_of_all


class _Record(NamedTuple):
    reads: dict[str, Stamp]
    makes: dict[str, Stamp]
    seal: str


def _read(seal: Path) -> _Record | None:
    """The record of a job, or nothing where there is none, or none that can be read."""
    try:
        told = strict_json.read(_record(seal))
        reads, makes = ({path: Stamp(*stamp) for path, stamp in told[key].items()} for key in ("reads", "makes"))
        return _Record(reads, makes, str(told["seal"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _record(seal: Path) -> Path:
    return seal.with_suffix(".json")


def _break(seal: Path) -> None:
    files.write_text(seal, f"{time.time_ns()}\n")


def _stamp(path: str) -> Stamp:
    found = Path(path).stat()
    return Stamp(found.st_size, found.st_ctime_ns, files.checksum(Path(path)))


def _fault(path: str, stamp: Stamp) -> str:
    """What is wrong with a file, or nothing."""
    try:
        found = Path(path).stat()
        if not stat.S_ISREG(found.st_mode):
            return "is no file any more"
        if (found.st_size, found.st_ctime_ns) == (stamp.size, stamp.changed):
            return ""
        if found.st_size == 0 < stamp.size:
            return "is empty"
        return "" if files.checksum(Path(path)) == stamp.sha256 else "is not what was made"
    except FileNotFoundError:
        return "is missing"
    except OSError as error:
        return f"cannot be read ({os.strerror(error.errno or 0)})"


@cache  # most jobs rest on the same sources
def _moved(path: str, stamp: Stamp) -> bool:
    return bool(_fault(path, stamp))
