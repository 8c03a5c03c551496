"""The commands of `dpsampling`, one a module: HELP, arguments(parser) and run(options)."""

from __future__ import annotations

import argparse


def changes_argument(parser: argparse.ArgumentParser, of: str) -> None:
    """`--set key=value`, as often as one likes; `of` says what it changes."""
    parser.add_argument("--set", action="append", default=[], metavar="key=value", help=of)
