"""`dpsampling verify`: whether a release is what its numbers say."""

from __future__ import annotations

import argparse
from pathlib import Path

from dpsampling.errors import InputError
from dpsampling.release.names import RELEASE

HELP = "compare a release with its own numbers, anybody's"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which release."""
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--ledger", type=Path, metavar="FILE", help="of a release: the private file that it is in")


def run(options: argparse.Namespace) -> None:
    """Every fault in a line, or what the release is."""
    if not (options.folder / RELEASE).is_file():
        raise InputError(f"{options.folder} holds no {RELEASE}; name the folder of a release.")
    release(options.folder, options.ledger)


def release(folder: Path, ledger: Path | None) -> None:
    """Print what is wrong with a release and raise an InputError, or print what it is."""
    from dpsampling.release import verifying

    found = verifying.verify(folder, ledger)
    for fault in found.faults:
        print(fault)
    if found.faults:
        times = "once" if len(found.faults) == 1 else f"{len(found.faults)} times"
        raise InputError(
            f"{folder} is not what its numbers say, {times}; do not rely on it, and ask whoever gave it to you."
        )
    print(
        f"{folder}: the level, the noise, the results, the words and all {found.count} files follow from the "
        f"numbers; not checked: {'; '.join(found.unchecked)}."
    )
    print(f"{RELEASE} has the SHA-256 {found.sha256}; compare it with what its maker says.")
