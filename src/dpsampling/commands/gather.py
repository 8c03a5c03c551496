"""`dpsampling gather`: tables of one kind under one another."""

from __future__ import annotations

import argparse
from pathlib import Path

from dpsampling import collect
from dpsampling.outputs import Output

HELP = "put tables of the same columns under one another"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which tables, to which file."""
    parser.add_argument("tables", nargs="+", type=Path, metavar="FILE.csv")
    parser.add_argument("--out", action=Output, required=True, metavar="FILE.csv")


def run(options: argparse.Namespace) -> None:
    """Cells stay as they are."""
    collect.gather(options.tables, options.out)
