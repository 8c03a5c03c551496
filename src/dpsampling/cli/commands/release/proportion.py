"""`dpsampling release proportion`: how many say yes."""

from __future__ import annotations

import argparse
from typing import Any

from dpsampling.cli import parsing
from dpsampling.cli.commands import release as releases
from dpsampling.errors import InputError

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
    parser.add_argument("--mechanism", metavar="NAME", help="what it is released by; 'release choose' compares them")
    parser.add_argument("--records", metavar="N", help="how many rows there are, if that is public")
    parser.add_argument("--prior", nargs=2, default=["1", "1"], metavar=("A", "B"), help="Beta(A, B) (default: 1 1)")
    parser.add_argument("--truncation", metavar="A", help="with ops: no share is drawn within A of 0 or 1")
    releases.paying_arguments(parser)
    releases.answer_arguments(parser, quantum="4")


def run(options: argparse.Namespace) -> None:
    """The folder."""
    releases.check_said(options)
    epsilon, level = parsing.level(options.epsilon), parsing.level(options.level, option="--level")
    asked = _asked(options)

    from dpsampling.release import proportion, publish, question

    described = question.described(
        options.column,
        options.yes,
        options.no,
        releases.unit_of(options),
        by="whoever gave the command",
        encoding=options.encoding,
        delimiter={r"\t": "\t", "tab": "\t"}.get(options.delimiter, options.delimiter),
        said="--{}",
    )
    made = publish.publish(
        lambda: proportion.prepare(
            described, options.data, epsilon=epsilon, level=level,
            report=options.report, **asked,
        ),
        purse=publish.Purse(*releases.payment(options)),
        **releases.answer(options),
    )  # fmt: skip
    releases.tell(options.out, made)


def _asked(options: argparse.Namespace) -> dict[str, Any]:
    """How it is released."""
    a, b = (parsing.level(part, option="--prior") for part in options.prior)
    asked: dict[str, Any] = {"mechanism": options.mechanism, "prior": (a, b), "records": None}
    if options.records is not None:
        asked["records"] = count_of(options.records, "--records")
    for name in ("delta", "truncation"):
        text = getattr(options, name)
        asked[name] = None if text is None else parsing.level(text, option=f"--{name}")
    return asked


def count_of(text: str, option: str) -> int:
    """A public number of rows."""
    count = parsing.level(text, option=option)
    if count % 1:
        raise InputError(f"{option} is {text}; it is a number of rows, a whole one.")
    return int(count)
