"""`dpsampling verify`: whether a results tree is what its manifest says."""

from __future__ import annotations

import argparse
from pathlib import Path

from dpsampling import verification
from dpsampling.errors import InputError

HELP = "compare a results tree, anybody's, with its manifest, and run nothing"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which tree."""
    parser.add_argument("results", nargs="?", type=Path, default=Path("results"), metavar="FOLDER")


def run(options: argparse.Namespace) -> None:
    """Every fault in a line, or what the tree is."""
    found = verification.verify(options.results)
    for fault in found.faults:
        print(fault)
    if found.faults:
        raise InputError(
            f"{options.results} is not what its manifest says, {len(found.faults)} times; make it again with 'make "
            "reproduce' or 'make quick', or ask whoever gave it to you."
        )
    print(f"{options.results}: {found.count} files are what the manifest says; code {', '.join(found.commits)}.")
    print(f"manifest.json has the SHA-256 {found.sha256}; compare it with what its maker says.")
