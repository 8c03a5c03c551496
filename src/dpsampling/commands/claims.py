"""`dpsampling claims`: the source's claims, judged by an experiment's table."""

from __future__ import annotations

import argparse
from pathlib import Path

from dpsampling import project
from dpsampling.outputs import Output

HELP = "judge the source's claims by an experiment's table"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which experiment, which table, which files."""
    parser.add_argument("experiment", metavar="ID")
    parser.add_argument("--table", type=Path, required=True, metavar="FILE.csv")
    parser.add_argument("--out", action=Output, required=True, metavar="FILE.csv")
    parser.add_argument("--errata", action=Output, metavar="FILE.csv", help="the claims that correct the source")
    parser.add_argument("--ledger", action=Output, metavar="FILE.csv", help="what was released, under which guarantee")
    parser.add_argument(
        "--perturbed", action=Output, metavar="FILE.csv", help="what change of the table flips each claim"
    )


def run(options: argparse.Namespace) -> None:
    """All files, or none."""
    experiment = project.experiment(options.experiment)

    from dpsampling import claims, files, provenance, releases  # pandas, which a wrong id need not wait for
    from dpsampling.stages import claims as stage
    from dpsampling.stages import falsifiability

    outputs = (options.out, options.errata, options.ledger, options.perturbed)
    given = provenance.read(options.table, experiment, outputs)
    with provenance.telling_of(options.table, given):
        found = stage.judge(experiment.code, given.table, given.parameters, experiment.source)
        released = stage.released(experiment.code, given.table, given.parameters) if options.ledger else []
        tried = falsifiability.perturb(experiment.code, given.table, given.parameters) if options.perturbed else []
    tables = (
        claims.frame(experiment.id, found),
        claims.errata_frame(experiment.id, found),
        releases.frame(experiment.id, released),
        falsifiability.frame(experiment.id, tried),
    )
    wanted = [(path, content) for path, content in zip(outputs, tables, strict=True) if path is not None]
    with files.staged(*(path for path, _ in wanted)) as partials:
        for partial, (_, content) in zip(partials, wanted, strict=True):
            files.put_table(partial, content)
