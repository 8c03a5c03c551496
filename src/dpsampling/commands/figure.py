"""`dpsampling figure`: an experiment's table, drawn."""

from __future__ import annotations

import argparse
from pathlib import Path

from dpsampling import project
from dpsampling.outputs import Output

HELP = "draw an experiment's table"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which experiment, which table, which files."""
    parser.add_argument("experiment", metavar="ID")
    parser.add_argument("--table", type=Path, required=True, metavar="FILE.csv")
    parser.add_argument(
        "--out", action=Output, repeated=True, required=True, metavar="FILE.{pdf,png,svg}", help="may be repeated"
    )


def run(options: argparse.Namespace) -> None:
    """All files, or none."""
    experiment = project.experiment(options.experiment)

    from dpsampling import provenance, style  # matplotlib and pandas, which a wrong id need not wait for
    from dpsampling.stages import figure as stage

    given = provenance.read(options.table, experiment, options.out)
    with provenance.telling_of(options.table, given):
        drawn = stage.draw(experiment.code, given.table, given.parameters)
        style.save(drawn, *options.out, caption=stage.caption(experiment.code, drawn))
