"""`dpsampling warlogs read`: a log's rows, as times, regions and what the features need."""

from __future__ import annotations

import argparse
from pathlib import Path

from dpsampling.commands import warlogs as event_logs
from dpsampling.errors import InputError
from dpsampling.files import as_closed_as, check_apart
from dpsampling.outputs import files_of

HELP = "read a log's rows: times, regions and what the features need"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which log, which rows, where to."""
    event_logs.log_arguments(parser)
    parser.add_argument(
        "--raw", type=Path, metavar="FILE.csv[.gz]", help="the rows (default: the file the schema names)"
    )
    parser.add_argument(
        "--origin", choices=("simulated", "file"), default="file", help="where the rows are from (default: file)"
    )
    event_logs.output_arguments(parser)


def run(options: argparse.Namespace) -> None:
    """The entries and, if asked for, what was left out, of which the curator is told anyway."""
    schema = event_logs.log_of(options)
    raw = options.raw or (Path(schema.file) if schema.file else None)
    if raw is None:
        raise InputError(f"log {schema.name} names no file; name its rows with --raw FILE.csv.")

    check_apart(files_of(options)[0], [raw])

    from dpsampling.warlogs import reader  # numpy and pandas

    entries, report = reader.read(schema, raw, origin=options.origin)
    with as_closed_as(raw):
        event_logs.write(options, lambda path: reader.put(path, entries), report)
    reader.tell(raw, report)
