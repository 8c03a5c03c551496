"""`dpsampling warlogs counts`: outcomes, counted by region and month."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from dpsampling import files
from dpsampling.commands import warlogs as event_logs
from dpsampling.errors import InputError
from dpsampling.outputs import Output

if TYPE_CHECKING:
    from dpsampling.warlogs.features import FeatureTable
    from dpsampling.warlogs.schema import LogSchema

HELP = "count outcomes by region and month"
TABLE = (
    "the counts as a table too, feature by feature, as 'published' of a schema names one; exact counts are not "
    "protected: one row more or less is seen in them"
)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which log, which features, where to."""
    event_logs.log_arguments(parser)
    parser.add_argument(
        "--features",
        type=Path,
        metavar="FILE.npz",
        help="what 'dpsampling warlogs features' wrote (default: the published counts that the schema names)",
    )
    parser.add_argument("--out", action=Output, required=True, metavar="FILE.npz")
    parser.add_argument("--table", action=Output, metavar="FILE.csv", help=TABLE)


def run(options: argparse.Namespace) -> None:
    """The counts."""
    schema = event_logs.log_of(options)

    from dpsampling.warlogs import aggregates, counts, features  # numpy and pandas

    if options.features is None:
        found = counts.of_published(schema)
    else:
        table = features.load(options.features)
        _check(options, schema, table)
        found = counts.count(table)
    with files.staged(*([options.out, options.table] if options.table else [options.out])) as partials:
        counts.put(partials[0], found)
        if options.table:
            files.put_table(partials[1], aggregates.frame(found))


def _check(options: argparse.Namespace, schema: LogSchema, table: FeatureTable) -> None:
    """That features are of the log, and of its unit."""
    if table.log != schema.name:
        raise InputError(f"{options.features} has features of log {table.log}; name those of {schema.name}.")
    if table.unit != schema.unit:
        raise InputError(f"{options.features} was read with another unit than log {schema.name} has; read again.")
