"""`dpsampling logistic sweep`: every private classifier at every order and ε, drawn and scored on one data set."""

from __future__ import annotations

import argparse
from pathlib import Path

from dpsampling.cli import configuration, parsing
from dpsampling.cli.outputs import OutputFile
from dpsampling.cli.parsing import changes_argument
from dpsampling.errors import InputError
from dpsampling.files import inherit_permissions, write_table
from dpsampling.files.grids import expanded
from reproduction import config, project

HELP = "draw and score every private classifier on one data set: an evaluation, protects nothing"


def arguments(parser: argparse.ArgumentParser) -> None:
    """For which experiment, of which design, where to."""
    parser.add_argument(
        "--for",
        dest="experiment",
        required=True,
        metavar="ID",
        help="the experiment that needs these scores, whose parameters decide",
    )
    changes_argument(parser, "one of its parameters, in YAML")
    parser.add_argument("--seed", metavar="N", help="default: the configuration's")
    parser.add_argument(
        "--design", type=Path, required=True, metavar="FILE.npz", help="what 'dpsampling design' wrote of the data set"
    )
    parser.add_argument("--out", action=OutputFile, required=True, metavar="FILE.csv")


def run(options: argparse.Namespace) -> None:
    """A row for each order, mechanism and ε, and a line as each law is done."""
    experiment = project.experiment(options.experiment)
    if experiment.needs != "sweeps":
        raise InputError(f"{experiment.id} needs no sweep; name an experiment that compares private classifiers.")
    params = expanded(config.resolve(experiment, parsing.parse_settings(options.set)))
    seed = configuration.seed_of(options.seed)

    from dpsampling.datasets import design
    from dpsampling.numerics import randomness  # numpy
    from reproduction.inputs import sweeps

    made = design.load(options.design)
    table = sweeps.swept(made, params, randomness.stream(seed, experiment.stream_name))
    with inherit_permissions(options.design):
        write_table(options.out, table)
