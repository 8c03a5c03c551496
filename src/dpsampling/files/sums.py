"""Checksums that a job leaves beside its results, in the format of `sha256sum`, and what they find later.

A file that was edited or cut short after its job ended is no result: `discard` removes it before a run, which then
makes it again, and `check` refuses to gather it. What is made of somebody's rows has a private tree beside the results.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from dpsampling import files
from dpsampling.errors import InputError

FOLDER = "sums"  # of a tree of results


def write(path: Path, made: Iterable[Path]) -> None:
    """Write the checksums of files that were made together."""
    files.write_text(path, "".join(f"{files.checksum(file)}  {file}\n" for file in made))


def faults(results: Path) -> Iterator[tuple[Path, list[Path]]]:
    """Yield each list of checksums of a tree that does not hold, with its files that are others now.

    A file that is gone is no fault, for the run makes what it misses; a name that leads out of the tree is nobody's.
    """
    for tree in (results, Path(files.PRIVATE, *results.parts[1:])):
        for path in sorted((tree / FOLDER).rglob("*.sha256")):
            lines = [line.partition("  ") for line in path.read_text(encoding="utf-8", errors="replace").splitlines()]
            named = [
                (told, Path(name)) for told, _, name in lines if Path(name).resolve().is_relative_to(tree.resolve())
            ]
            others = [file for told, file in named if file.is_file() and files.checksum(file) != told]
            if others or not named:
                yield path, others


def check(results: Path) -> None:
    """Raise an InputError if a result is not what its job made."""
    for path, others in faults(results):
        raise InputError(f"{(others or [path])[0]} is not what was made; run again, and it is made again.")


def discard(results: Path) -> list[Path]:
    """Remove the results that are not what their jobs made, and return them."""
    removed = []
    for path, others in list(faults(results)):
        for file in (*others, path):
            file.unlink()
        removed += others or [path]
    return removed
