"""`dpsampling figure`: an experiment's table, drawn."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dpsampling.cli.outputs import OutputFile
from reproduction import project

if TYPE_CHECKING:
    from reproduction.provenance import Given

HELP = "draw an experiment's table"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which experiment, which table, which files."""
    parser.add_argument("experiment", metavar="ID")
    parser.add_argument("--table", type=Path, required=True, metavar="FILE.csv")
    output_argument(parser, "--out")


def output_argument(parser: argparse.ArgumentParser, name: str) -> None:
    """Add the option that names the pictures."""
    parser.add_argument(
        name, action=OutputFile, repeated=True, required=True, metavar="FILE.{pdf,png,svg}", help="may be repeated"
    )


def run(options: argparse.Namespace) -> None:
    """All files, or none."""
    experiment = project.experiment(options.experiment)

    from reproduction import provenance  # pandas, which a wrong id need not wait for

    draw(experiment, provenance.read(options.table, experiment, options.out), options.out)


def draw(experiment: project.Experiment, given: Given, outputs: Sequence[Path]) -> None:
    """Write the pictures."""
    from dpsampling.release import style  # matplotlib
    from reproduction.stages import figure as stage

    with given.blamed():
        drawn = stage.draw(experiment.code, given.table, given.parameters)
        style.save(drawn, *outputs, caption=stage.caption(experiment.code, drawn))
