"""`dpsampling claims`: the source's claims, judged by an experiment's table."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dpsampling.cli.outputs import OutputFile
from reproduction import project

if TYPE_CHECKING:
    from reproduction.provenance import Given

HELP = "judge the source's claims by an experiment's table"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which experiment, which table, which files."""
    parser.add_argument("experiment", metavar="ID")
    parser.add_argument("--table", type=Path, required=True, metavar="FILE.csv")
    output_arguments(parser, "--out")


def output_arguments(parser: argparse.ArgumentParser, name: str) -> None:
    """Add the options that name what is written."""
    parser.add_argument(
        name, action=OutputFile, required=True, metavar="FILE.csv", help="the claims with their verdicts"
    )
    parser.add_argument("--errata", action=OutputFile, metavar="FILE.csv", help="the claims that correct the source")
    parser.add_argument(
        "--ledger", action=OutputFile, metavar="FILE.csv", help="what was released, under which guarantee"
    )


def outputs(options: argparse.Namespace, out: Path) -> list[Path | None]:
    """Return the files for claims, errata and ledger."""
    return [out, options.errata, options.ledger]


def run(options: argparse.Namespace) -> None:
    """All files, or none."""
    experiment = project.experiment(options.experiment)

    from reproduction import provenance  # pandas, which a wrong id need not wait for

    wanted = outputs(options, options.out)
    judge(experiment, provenance.read(options.table, experiment, wanted), wanted)


def judge(experiment: project.Experiment, given: Given, wanted: Sequence[Path | None]) -> None:
    """Write the claims, and the errata and the ledger where they are asked for."""
    from dpsampling import files
    from reproduction import claims, releases
    from reproduction.stages import claims as stage

    with given.blamed():
        found = stage.judge(experiment.code, given.table, given.parameters, experiment.source)
        released = stage.released(experiment.code, given.table, given.parameters) if wanted[2] else []
    tables = (
        claims.frame(experiment.id, found),
        claims.errata_frame(experiment.id, found),
        releases.frame(experiment.id, released),
    )
    asked = [(path, content) for path, content in zip(wanted, tables, strict=True) if path is not None]
    with files.staged(*(path for path, _ in asked)) as partials:
        for partial, (_, content) in zip(partials, asked, strict=True):
            files.put_table(partial, content)
