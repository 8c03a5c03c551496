"""`dpsampling perturb`: what change of its table would flip the verdict of each claim."""

from __future__ import annotations

import argparse
from pathlib import Path

from dpsampling.cli.outputs import OutputFile
from reproduction import project

HELP = "change the tables of experiments until the verdict of each claim flips"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which experiments of which tree, which file."""
    parser.add_argument("experiments", nargs="+", metavar="ID")
    parser.add_argument("--results", type=Path, default=Path("results"), metavar="FOLDER")
    parser.add_argument("--out", action=OutputFile, required=True, metavar="FILE.csv")


def run(options: argparse.Namespace) -> None:
    """One row a claim."""
    experiments = [project.experiment(name) for name in options.experiments]

    import pandas as pd  # which a wrong id need not wait for

    from dpsampling import files
    from reproduction import provenance
    from reproduction.stages import falsifiability

    tables = {e.id: options.results / "tables" / f"{e.id}.csv" for e in experiments}
    parts = []
    for experiment in experiments:
        given = provenance.read(tables[experiment.id], experiment, [options.out])
        with given.blamed():
            tried = falsifiability.perturb(experiment.code, given.table, given.parameters)
        parts.append(falsifiability.frame(experiment.id, tried))
    with files.inherit_permissions(*tables.values()):
        files.write_table(options.out, pd.concat(parts, ignore_index=True))
