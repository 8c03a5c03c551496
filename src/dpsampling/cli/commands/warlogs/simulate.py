"""`dpsampling warlogs simulate`: a log with planted states, in its published format."""

from __future__ import annotations

import argparse
from itertools import chain

from dpsampling import files
from dpsampling.cli import configuration
from dpsampling.cli.commands import warlogs as event_logs
from dpsampling.cli.outputs import OutputFile

HELP = "write a log with planted states in its published format"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which log, how much of it, where to."""
    event_logs.log_arguments(parser)
    parser.add_argument(
        "--seed", metavar="N", help="the number that names the random streams (default: the configuration's)"
    )
    parser.add_argument("--rows", default="1", metavar="F", help="scales the number of rows (default: 1)")
    parser.add_argument("--out", action=OutputFile, required=True, metavar="FILE.csv")
    parser.add_argument(
        "--planted", action=OutputFile, metavar="FILE.csv", help="the planted state of every region and month"
    )


def run(options: argparse.Namespace) -> None:
    """The rows and, if asked for, the states; both or none."""
    schema, seed = event_logs.log_of(options), configuration.seed_of(options.seed)

    from dpsampling.event_logs import simulator  # numpy and pandas

    months = simulator.month_by_month(schema, seed, event_logs.number(options.rows, "--rows"))
    first = next(months)
    with files.staged(*([options.out, options.planted] if options.planted else [options.out])) as partials:
        simulator.put_raw(partials[0], chain([first], months))
        if options.planted:
            files.put_table(partials[1], simulator.planted_table(first))
