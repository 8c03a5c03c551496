"""`dpsampling release proportion`: how many say yes."""

from __future__ import annotations

import argparse
import datetime

from dpsampling import parameters
from dpsampling.commands import release as releases

HELP = "release which share of rows say yes"
PUBLISHES = True  # what noise was added to


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which column, what counts as yes and no, and all that every release asks for."""
    releases.data_argument(parser)
    parser.add_argument("--column", required=True, metavar="COLUMN", help="the column with the answer")
    parser.add_argument("--yes", nargs="+", required=True, metavar="TEXT", help="what counts as yes")
    parser.add_argument("--no", nargs="+", required=True, metavar="TEXT", help="what counts as no; the rest is neither")
    parser.add_argument("--delimiter", default=",", metavar="C", help="between two fields (default: a comma)")
    parser.add_argument("--encoding", default="utf-8", metavar="NAME", help="the text's encoding (default: utf-8)")
    releases.paying_arguments(parser)
    releases.answer_arguments(parser, quantum="4")


def run(options: argparse.Namespace) -> None:
    """The folder."""
    releases.check_said(options)
    epsilon, level = parameters.level(options.epsilon), parameters.level(options.level, option="--level")

    from dpsampling.release import proportion
    from dpsampling.warlogs import schema

    (yes, *also), (no, *besides) = options.yes, options.no
    fold = {**dict.fromkeys(also, yes), **dict.fromkeys(besides, no)}
    document = {
        "title": f"{options.column}: {yes} or {no}",
        "public": {"by": "whoever gave the command", "on": datetime.date.today().isoformat()},
        "unit": releases.unit_of(options),
        "encoding": options.encoding,
        "delimiter": {r"\t": "\t", "tab": "\t"}.get(options.delimiter, options.delimiter),
        "features": {proportion.ANSWER: {"column": options.column, "outcomes": [yes, no], "fold": fold}},
    }
    described = schema.parse(document, "proportion", events=False, said="--{}")
    releases.publish(
        options,
        lambda: proportion.prepare(
            described, options.data, epsilon=epsilon, level=level, identified=options.identifier is not None,
            report=options.report,
        ),
    )  # fmt: skip
