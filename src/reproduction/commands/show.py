"""`dpsampling show`: an experiment's table, drawn and judged."""

from __future__ import annotations

import argparse
from pathlib import Path

from dpsampling.errors import InputError
from reproduction import project
from reproduction.commands import claims, figure

HELP = "draw an experiment's table, and judge the source's claims by it"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which experiment, which table, which files."""
    parser.add_argument("experiment", metavar="ID")
    parser.add_argument("--table", type=Path, required=True, metavar="FILE.csv")
    figure.output_argument(parser, "--figure")
    claims.output_arguments(parser, "--claims")


def run(options: argparse.Namespace) -> None:
    """All files; a table that is not as its provenance says is refused."""
    experiment = project.experiment(options.experiment)

    from reproduction import provenance  # pandas

    given = provenance.read(options.table, experiment, [*options.figure, *claims.outputs(options, options.claims)])
    if not given.untouched:
        raise InputError(f"{options.table} is not what was made; make it again with 'dpsampling table'.")
    figure.draw(experiment, given, options.figure)
    claims.judge(experiment, given, claims.outputs(options, options.claims))
