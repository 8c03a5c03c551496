"""`dpsampling warlogs …`: event logs, from their rows to a private model; and what these commands ask for alike."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from dpsampling import config, parameters, project
from dpsampling.commands import changes_argument
from dpsampling.errors import InputError
from dpsampling.grids import expanded
from dpsampling.warlogs.schema import LogSchema, is_path, load

HELP = "event logs: simulate and count their rows, infer a schema, fit models"


def log_arguments(parser: argparse.ArgumentParser) -> None:
    """A log, and changes of its schema."""
    parser.add_argument("log", type=_log, metavar="LOG", help="a log of config/logs, or a YAML file of the same shape")
    changes_argument(parser, "a change of the schema, in YAML; may be repeated")


def _log(text: str) -> str | Path:
    return Path(text) if is_path(text) else text


def log_of(options: argparse.Namespace) -> LogSchema:
    """The log's schema."""
    return load(str(options.log), parameters.parse_settings(options.set))


def counts_argument(parser: argparse.ArgumentParser) -> None:
    """A log's counts."""
    parser.add_argument(
        "--counts", type=Path, required=True, metavar="FILE.npz", help="what 'dpsampling warlogs count' wrote"
    )


def sweep_arguments(parser: argparse.ArgumentParser) -> None:
    """An experiment whose parameters decide the fits, with changes, and its seed."""
    parser.add_argument(
        "--for",
        dest="experiment",
        metavar="ID",
        help="the experiment that needs these scores, whose parameters decide (default: the first one that needs any)",
    )
    changes_argument(parser, "one of its parameters, in YAML")
    parser.add_argument("--seed", metavar="N", help="default: the configuration's")


def sweep_of(options: argparse.Namespace) -> tuple[dict[str, Any], int, str]:
    """The parameters, the seed and the stream's name of such an experiment."""
    experiment = project.experiment(options.experiment or _first_that_needs_scores())
    if experiment.needs != "scores":
        raise InputError(f"{experiment.id} needs no scores, so nothing is fitted for it; name an experiment that does.")
    params = config.resolve(experiment, parameters.parse_settings(options.set))
    return expanded(params), config.seed_of(options.seed), experiment.stream_name


def _first_that_needs_scores() -> str:
    return next(e.id for e in project.experiments().values() if e.needs == "scores")


def number(text: str, what: str) -> float:
    """A number from the command line."""
    try:
        return parameters.plain_number(text)
    except ValueError as error:
        raise InputError(f"{what} is '{text}'; write a number, such as 0.05.") from error
