"""`dpsampling profiles release`: observations through a solved mechanism."""

from __future__ import annotations

import argparse

from dpsampling.cli.commands import profiles
from dpsampling.errors import InputError

HELP = "privatise observations with a solved mechanism"
PUBLISHES = True  # what went through the mechanism
DESCRIPTION = (
    "Read lines 'profile,observation' under that header and write one release a line, in their order and without the "
    "profile, which is the secret. An observation may be released once: the guarantee is for one release, adds up over "
    "independent observations of a profile, and says nothing of dependent ones. The random bits are the operating "
    "system's; 'dpsampling profiles simulate' takes a seed, and protects nothing."
)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which mechanism, which observations, and where to."""
    profiles.stream_arguments(parser)
    parser.add_argument("--seed", help=argparse.SUPPRESS)


def run(options: argparse.Namespace) -> None:
    """To a file, all lines or none; to standard output, each at once."""
    if options.seed is not None:
        raise InputError(
            "--seed is for 'dpsampling profiles simulate': who knows a seed knows the noise, and a release has none; "
            "leave it out."
        )

    from dpsampling.profiles import command_line  # numpy

    command_line.release(options.mechanism, options.observations, options.out)
