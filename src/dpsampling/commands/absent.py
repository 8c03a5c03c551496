"""`dpsampling absent`: which experiments are not made for want of a data set."""

from __future__ import annotations

import argparse
from pathlib import Path

from dpsampling import collect
from dpsampling.errors import InputError
from dpsampling.outputs import Output

HELP = "list the experiments that are not made for want of a data set"


def arguments(parser: argparse.ArgumentParser) -> None:
    """What was found out of data sets, who needs which, to which file."""
    parser.add_argument(
        "fetched",
        nargs="*",
        type=Path,
        metavar="NAME.fetched.json",
        help="what 'dpsampling fetch --told' wrote of each",
    )
    parser.add_argument(
        "--needs", action="append", default=[], metavar="ID:NAME", help="an experiment and a data set that it needs"
    )
    parser.add_argument("--out", action=Output, required=True, metavar="FILE.csv")


def run(options: argparse.Namespace) -> None:
    """A line for each experiment and data set; usually none."""
    fetched = {path.name.partition(".")[0]: path for path in options.fetched}
    pairs = []
    for text in options.needs:
        experiment, colon, name = text.partition(":")
        if not colon or name not in fetched:
            raise InputError(f"--needs={text} names no data set that is told of; write ID:NAME, and name its file.")
        pairs.append((experiment, name))
    collect.not_made(fetched, pairs, options.out)
