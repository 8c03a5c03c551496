"""`dpsampling manifest`: every result with its checksum and where it comes from."""

from __future__ import annotations

import argparse
from pathlib import Path

from dpsampling import collect
from dpsampling.outputs import Output

HELP = "list every result with its checksum and where it comes from"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Of which experiments, in which folder."""
    parser.add_argument("experiments", nargs="+", metavar="ID")
    parser.add_argument("--results", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--out", action=Output, required=True, metavar="FILE.json")


def run(options: argparse.Namespace) -> None:
    """A JSON file."""
    collect.manifest(options.results, options.experiments, options.out)
