"""`dpsampling batch`: several commands in one process, which imports what they share once."""

from __future__ import annotations

import argparse
import shlex

from dpsampling import cli

HELP = "run several commands in one process, up to the first that fails"


def arguments(parser: argparse.ArgumentParser) -> None:
    """The commands."""
    parser.add_argument("commands", nargs="+", metavar="COMMAND", help="all its words, quoted, as in 'list -v fig5_3'")


def run(options: argparse.Namespace) -> int:
    """Run each command, and return the exit code of the one that fails, or 0."""
    return next((code for command in options.commands if (code := cli.main(shlex.split(command)))), 0)
