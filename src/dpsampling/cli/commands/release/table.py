"""`dpsampling release table`: how many rows have each combination of outcomes."""

from __future__ import annotations

import argparse

from dpsampling.cli import parsing
from dpsampling.cli.commands import release as releases

HELP = "release how many rows have each combination of outcomes"
PUBLISHES = True  # what noise was added to


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which columns, what is public of them, and all that every release asks for."""
    releases.data_argument(parser)
    parser.add_argument("--columns", nargs="+", required=True, metavar="COLUMN", help="features of the description")
    releases.schema_arguments(parser)
    releases.paying_arguments(parser)
    releases.answer_arguments(parser, quantum="4")


def run(options: argparse.Namespace) -> None:
    """The folder."""
    releases.check_said(options)
    releases.refuse_delta(options)
    epsilon, level = parsing.level(options.epsilon), parsing.level(options.level, option="--level")
    described = releases.described(options, events=False)

    from dpsampling.release import publish, table

    table.axes(described, options.columns)
    made = publish.publish(
        lambda: table.prepare(
            described, options.data, columns=options.columns, epsilon=epsilon, level=level,
            report=options.report,
        ),
        purse=publish.Purse(*releases.payment(options)),
        **releases.answer(options),
    )  # fmt: skip
    releases.tell(options.out, made)
