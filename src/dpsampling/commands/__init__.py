"""The commands of `dpsampling`, one a module: HELP, arguments(parser) and run(options)."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from dpsampling.errors import InputError


def changes_argument(parser: argparse.ArgumentParser, of: str) -> None:
    """`--set key=value`, as often as one likes; `of` says what it changes."""
    parser.add_argument("--set", action="append", default=[], metavar="key=value", help=of)


def check_settings(options: argparse.Namespace, others: Sequence[str]) -> None:
    """That no word which no option takes, or which was taken for an ID, is one more key=value after a `--set`."""
    words = [*others, str(getattr(options, "experiment", ""))]
    alone = next((word for word in words if "=" in word and not word.startswith("-")), None)
    if getattr(options, "set", None) and alone is not None:
        raise InputError(f"{alone} has no --set before it; repeat it for each parameter, as in --set {alone}.")
