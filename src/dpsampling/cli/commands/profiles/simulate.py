"""`dpsampling profiles simulate`: what a release would look like, with a seed."""

from __future__ import annotations

import argparse

from dpsampling.cli.commands import profiles
from dpsampling.cli.parsing import check_seed

HELP = "what releases look like, repeatable by a seed; protects nothing"
DESCRIPTION = (
    "As 'dpsampling profiles release', with random numbers that a seed decides: for tests and evaluations. Who knows "
    "the seed knows the noise, so that nothing is protected."
)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which mechanism, which observations, which seed, and where to."""
    profiles.stream_arguments(parser)
    parser.add_argument("--seed", required=True, metavar="N")


def run(options: argparse.Namespace) -> None:
    """To a file, all lines or none; to standard output, each at once."""
    seed = check_seed(options.seed)

    from dpsampling.profiles import command_line  # numpy

    command_line.simulate(options.mechanism, options.observations, options.out, seed)
