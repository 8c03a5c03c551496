"""Whether a results tree, anybody's, is what its manifest says; nothing is run, and nothing but the tree is read."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from dpsampling import files
from dpsampling.errors import InputError
from dpsampling.files import strict_json
from reproduction.collect import MANIFEST, PARTS, listed


@dataclass(frozen=True)
class Verified:
    """What was found of a tree, each fault in a few words."""

    faults: tuple[str, ...]
    count: int  # of files in the manifest
    commits: tuple[str, ...]  # of the code that made the tables
    sha256: str  # of the manifest


@dataclass(frozen=True)
class Manifest:
    """Bytes and SHA-256 by file, and the origin of each table."""

    files: dict[str, tuple[int, str]]
    origins: dict[str, Any]


def verify(results: Path) -> Verified:
    """Compare a tree with its manifest, the manifest with itself, and what was gathered with its parts."""
    path = results / MANIFEST
    told = read(path)
    entries, origins = told.files, told.origins
    faults = [*_of_files(results, entries), *_of_lists(entries, origins), *_of_origins(results, entries, origins)]
    for kind in PARTS:
        faults += _of_gathered(results, kind, list(origins))
    commits = {commit_of(origin) for origin in origins.values()}
    return Verified(tuple(dict.fromkeys(faults)), len(entries), tuple(sorted(commits)), files.checksum(path))


def read(path: Path) -> Manifest:
    """A manifest, which names no file outside its folder."""
    remedy = "make the results again, or ask whoever gave them to you for the whole tree"
    try:
        told = strict_json.read(path)
        entries = {str(entry["file"]): (int(entry["bytes"]), str(entry["sha256"])) for entry in told["files"]}
        origins = {str(name): dict(origin) for name, origin in told["tables"].items()}
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist; name a folder of results that were made to the end.") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); {remedy}.") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{path} is no manifest; {remedy}.") from error
    for name in entries:
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
            raise InputError(f"{path} names a file outside its folder; {remedy}.")
    return Manifest(entries, origins)


def _of_files(results: Path, entries: Mapping[str, tuple[int, str]]) -> Iterator[str]:
    for name, (size, sha256) in entries.items():
        path = results / name
        try:
            found = path.stat()
            if not stat.S_ISREG(found.st_mode):
                yield f"{name} is no file"
            elif found.st_size == 0 < size:
                yield f"{name} is empty"
            elif found.st_size != size or files.checksum(path) != sha256:
                yield f"{name} is not what the manifest says"
        except FileNotFoundError:
            yield f"{name} is missing"
        except OSError as error:
            yield f"{name} cannot be read ({error.strerror})"


def _of_lists(entries: Mapping[str, object], origins: Mapping[str, object]) -> Iterator[str]:
    """Files that every run makes and that the manifest has lost."""
    for name in listed(origins):
        if name not in entries:
            yield f"{name} is not in the manifest"


def _of_origins(results: Path, entries: Mapping[str, tuple[int, str]], origins: Mapping[str, Any]) -> Iterator[str]:
    """Whether each table is the one that its provenance is about, here and in the manifest."""
    for experiment, origin in origins.items():
        table = f"tables/{experiment}.csv"
        if origin.get("experiment") != experiment or origin.get("sha256") != entries.get(table, (0, ""))[1]:
            yield f"{table} is not the table that its origin in the manifest is about"
        beside = files.sidecar(results / table)
        try:
            if strict_json.read(beside) != origin:
                yield f"{beside.relative_to(results)} tells another origin than the manifest"
        except (OSError, ValueError):
            yield f"{beside.relative_to(results)} cannot be read"


def _of_gathered(results: Path, kind: str, experiments: list[str]) -> Iterator[str]:
    """Whether what was gathered of all experiments is their parts under one head."""
    try:
        parts = [(results / kind / f"{experiment}.csv").read_bytes() for experiment in experiments]
        whole = (results / f"{kind}.csv").read_bytes()
    except OSError:
        return  # it is missing, which is said already
    heads = {part.partition(b"\n")[0] for part in parts} or {whole.partition(b"\n")[0]}
    if len(heads) > 1 or whole != min(heads) + b"\n" + b"".join(part.partition(b"\n")[2] for part in parts):
        yield f"{kind}.csv is not what the files of {kind}/ hold together"


def commit_of(origin: Mapping[str, Any]) -> str:
    """The commit of the code that made a table, and whether files differed from it."""
    code = origin.get("code")
    told = code if isinstance(code, Mapping) else {}
    return f"{told.get('commit') or 'unknown'}{' with changes' if told.get('dirty') else ''}"
