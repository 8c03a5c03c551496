"""`dpsampling warlogs features`: entries, reduced to the features of the model."""

from __future__ import annotations

import argparse
from pathlib import Path

from dpsampling.commands import warlogs as event_logs

HELP = "reduce entries to the features of the model"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which log, which entries, where to."""
    event_logs.log_arguments(parser)
    parser.add_argument("--entries", type=Path, required=True, metavar="FILE.npz")
    event_logs.output_arguments(parser)


def run(options: argparse.Namespace) -> None:
    """The features and, if asked for, what was left out."""
    schema = event_logs.log_of(options)

    from dpsampling.warlogs import features, reader  # numpy and pandas

    table, report = features.extract(schema, reader.load(options.entries))
    event_logs.write(options, lambda path: features.put(path, table), report)
