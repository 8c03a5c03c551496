"""`dpsampling errata`: the errata as a page."""

from __future__ import annotations

import argparse
from pathlib import Path

from dpsampling import collect
from dpsampling.outputs import Output

HELP = "write the errata as a page"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which table, to which file."""
    parser.add_argument("--table", type=Path, required=True, metavar="errata.csv")
    parser.add_argument("--out", action=Output, required=True, metavar="FILE.md")


def run(options: argparse.Namespace) -> None:
    """A Markdown page."""
    collect.errata_page(options.table, options.out)
