"""`dpsampling summary`: what a results tree says, in some lines."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "how many claims have which verdict, the gravest errata, and where to look"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which tree."""
    parser.add_argument("results", nargs="?", type=Path, default=Path("results"), metavar="FOLDER")


def run(options: argparse.Namespace) -> None:
    """Print the summary."""
    from reproduction.report.summary import summary  # pandas

    print(summary(options.results))
