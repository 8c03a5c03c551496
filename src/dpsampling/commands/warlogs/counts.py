"""`dpsampling warlogs counts`: outcomes, counted by region and month."""

from __future__ import annotations

import argparse
from pathlib import Path

from dpsampling.commands import warlogs as event_logs
from dpsampling.errors import InputError
from dpsampling.outputs import Output

HELP = "count outcomes by region and month"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which log, which features, where to."""
    event_logs.log_arguments(parser)
    parser.add_argument("--features", type=Path, required=True, metavar="FILE.npz")
    parser.add_argument("--out", action=Output, required=True, metavar="FILE.npz")


def run(options: argparse.Namespace) -> None:
    """The counts."""
    schema = event_logs.log_of(options)

    from dpsampling.warlogs import counts, features  # numpy and pandas

    table = features.load(options.features)
    if table.log != schema.name:
        raise InputError(f"{options.features} has features of log {table.log}; name those of {schema.name}.")
    if table.unit != schema.unit:
        raise InputError(f"{options.features} was read with another unit than log {schema.name} has; read again.")
    counts.save(options.out, counts.count(table))
