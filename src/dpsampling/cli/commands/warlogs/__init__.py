"""`dpsampling warlogs …`: event logs, from their rows to a private model; and what these commands ask for alike."""

from __future__ import annotations

import argparse
from pathlib import Path

from dpsampling.cli import parsing
from dpsampling.cli.parsing import changes_argument
from dpsampling.errors import InputError
from dpsampling.event_logs.schema import LogSchema, is_path, load

HELP = "event logs: simulate and count their rows, infer a schema, fit models"


def log_arguments(parser: argparse.ArgumentParser) -> None:
    """A log, and changes of its schema."""
    parser.add_argument("log", type=_log, metavar="LOG", help="a log of config/logs, or a YAML file of the same shape")
    changes_argument(parser, "a change of the schema, in YAML; may be repeated")


def _log(text: str) -> str | Path:
    return Path(text) if is_path(text) else text


def log_of(options: argparse.Namespace) -> LogSchema:
    """The log's schema."""
    return load(str(options.log), parsing.parse_settings(options.set))


def counts_argument(parser: argparse.ArgumentParser) -> None:
    """A log's counts."""
    parser.add_argument(
        "--counts", type=Path, required=True, metavar="FILE.npz", help="what 'dpsampling warlogs count' wrote"
    )


def number(text: str, what: str) -> float:
    """A number from the command line."""
    try:
        return parsing.plain_number(text)
    except ValueError as error:
        raise InputError(f"{what} is '{text}'; write a number, such as 0.05.") from error
