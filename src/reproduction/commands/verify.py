"""`dpsampling verify`: whether a results tree is what its manifest says, or a release what its numbers say."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from dpsampling.cli.commands import verify
from dpsampling.errors import InputError
from dpsampling.files import sums
from dpsampling.release.names import RELEASE
from reproduction import verification

HELP = "compare a results tree with its manifest, or a release with its own numbers, anybody's"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which tree, or which release."""
    parser.add_argument("results", nargs="?", type=Path, default=Path("results"), metavar="FOLDER")
    parser.add_argument(
        "--discard", action="store_true", help="remove what is not as its job made it, so that a run makes it again"
    )
    parser.add_argument("--ledger", type=Path, metavar="FILE", help="of a release: the private file that it is in")


def run(options: argparse.Namespace) -> None:
    """Every fault in a line, or what the tree or the release is."""
    if options.discard:
        for path in sums.discard(options.results):
            print(f"dpsampling: {path} is not what was made; it is made again.", file=sys.stderr)
        return
    if (options.results / RELEASE).is_file():
        verify.release(options.results, options.ledger)
        return
    if options.ledger is not None:
        raise InputError(f"{options.results} holds no {RELEASE}; leave out --ledger, which is for releases.")
    _tree(options.results)


def _tree(results: Path) -> None:
    found = verification.verify(results)
    for fault in found.faults:
        print(fault)
    if found.faults:
        raise InputError(
            f"{results} is not what its manifest says, {len(found.faults)} times; make it again with 'make "
            "reproduce' or 'make quick', or ask whoever gave it to you."
        )
    print(f"{results}: {found.count} files are what the manifest says; code {', '.join(found.commits)}.")
    print(f"manifest.json has the SHA-256 {found.sha256}; compare it with what its maker says.")
