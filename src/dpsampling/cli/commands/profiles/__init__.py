"""`dpsampling profiles …`: profile-based privacy for a graph of one's own."""

from __future__ import annotations

import argparse
from pathlib import Path

from dpsampling.cli.outputs import OutputFile

HELP = "profile-based privacy for your own profiles and edges"


def stream_arguments(parser: argparse.ArgumentParser) -> None:
    """Which mechanism, which observations, and where to."""
    parser.add_argument("--mechanism", type=Path, required=True, metavar="FILE.json")
    parser.add_argument("--observations", type=Path, metavar="FILE.csv", help="default: standard input, line by line")
    parser.add_argument(
        "--out",
        action=OutputFile,
        metavar="FILE.csv",
        help="written whole or not at all; default: standard output, at once",
    )
