"""`dpsampling profiles release`: observations through a solved mechanism."""

from __future__ import annotations

import argparse
from pathlib import Path

from dpsampling.files import check_ending
from dpsampling.parameters import check_seed

HELP = "privatise observations with a solved mechanism"
DESCRIPTION = (
    "Read lines 'profile,observation' under that header and write one release a line, in their order and without the "
    "profile, which is the secret. An observation may be released once: the guarantee is for one release, adds up over "
    "independent observations of a profile, and says nothing of dependent ones."
)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which mechanism, which observations, and where to."""
    parser.add_argument("--mechanism", type=Path, required=True, metavar="FILE.json")
    parser.add_argument("--observations", type=Path, metavar="FILE.csv", help="default: standard input, line by line")
    parser.add_argument(
        "--out", type=Path, metavar="FILE.csv", help="written whole or not at all; default: standard output, at once"
    )
    parser.add_argument(
        "--seed",
        metavar="N",
        help="for tests and simulations only: who knows the seed knows the noise (default: fresh random bits of the "
        "operating system)",
    )


def run(options: argparse.Namespace) -> None:
    """To a file, all lines or none; to standard output, each at once."""
    check_ending(options.out, ".csv")
    seed = None if options.seed is None else check_seed(options.seed)

    from dpsampling.profiles import command_line  # numpy

    command_line.release(options.mechanism, options.observations, options.out, seed)
