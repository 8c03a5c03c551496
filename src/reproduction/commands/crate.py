"""`dpsampling crate`: a results tree as a research object."""

from __future__ import annotations

import argparse
from pathlib import Path

from dpsampling.cli.outputs import OutputFile
from reproduction import collect, crate

HELP = "describe a results tree as a research object (RO-Crate 1.1), each file with its checksum and what made it"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which tree, and where to write."""
    parser.add_argument("results", nargs="?", type=Path, default=Path("results"), metavar="FOLDER")
    parser.add_argument(
        "--out", action=OutputFile, metavar="FILE.json", help=f"the metadata (default: {collect.CRATE} in the folder)"
    )


def run(options: argparse.Namespace) -> None:
    """A JSON-LD file, which makes the folder a crate."""
    crate.write(options.results, options.out or options.results / collect.CRATE)
