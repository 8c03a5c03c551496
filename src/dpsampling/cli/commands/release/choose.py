"""`dpsampling release choose`: which mechanism tells a share best, before any data are touched."""

from __future__ import annotations

import argparse
import sys

from dpsampling import files
from dpsampling.cli import parsing
from dpsampling.cli.commands.release.proportion import count_of
from dpsampling.cli.outputs import OutputFile

HELP = "compare by how much each mechanism errs on average, for a number of rows and a level"
PUBLISHES = True  # it sees no data


def arguments(parser: argparse.ArgumentParser) -> None:
    """How many rows, what is held of the share, and the level."""
    parser.add_argument("--n", required=True, metavar="N", help="how many rows there are, about")
    parser.add_argument("--epsilon", required=True, metavar="E", help="the privacy level")
    parser.add_argument("--delta", metavar="D", help="for (ε, δ), where the mechanism has one")
    parser.add_argument("--prior", nargs=2, default=["1", "1"], metavar=("A", "B"), help="Beta(A, B) (default: 1 1)")
    parser.add_argument("--p", metavar="P", help="errors at this share, instead of an average over the prior")
    parser.add_argument("--out", action=OutputFile, metavar="FILE.csv", help="the comparison as a table")


def run(options: argparse.Namespace) -> None:
    """One line a mechanism, the best first."""
    records = count_of(options.n, "--n")
    epsilon = parsing.level(options.epsilon)
    delta, p = (
        None if text is None else parsing.level(text, option=option)
        for text, option in ((options.delta, "--delta"), (options.p, "--p"))
    )
    a, b = (parsing.level(part, option="--prior") for part in options.prior)

    from dpsampling.release import choose

    setting = choose.Setting(records, epsilon, delta, (a, b), p)
    found = choose.choices(setting)
    if options.out is not None:
        with files.atomic_path(options.out) as partial:
            partial.write_text(choose.table(found), encoding="utf-8", newline="\n")
    sys.stdout.write(choose.text(setting, found))
