"""`dpsampling warlogs read`: a log's rows, as times, regions and what the features need."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dpsampling.commands import warlogs as event_logs
from dpsampling.errors import InputError
from dpsampling.files import atomic_path, check_apart, inherit_permissions
from dpsampling.outputs import files_of
from dpsampling.warlogs import located, progress
from dpsampling.warlogs.schema import LogSchema

if TYPE_CHECKING:
    from dpsampling.warlogs.reader import Entries

HELP = "read a log's rows: times, regions and what the features need"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which log, which rows, where to."""
    event_logs.log_arguments(parser)
    rows = parser.add_mutually_exclusive_group()
    rows.add_argument(
        "--raw",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="the rows: CSV, plain or packed with gzip or zstd, or Parquet; one file, several, or patterns such as "
        "'data/*.csv' (default: the files that the schema names)",
    )
    rows.add_argument(
        "--parts", type=Path, nargs="+", metavar="PART.npz", help="what --part wrote of each file of the log, in order"
    )
    parser.add_argument("--part", action="store_true", help="read one of several files, to be put together by --parts")
    parser.add_argument(
        "--origin", choices=("simulated", "file"), default="file", help="where the rows are from (default: file)"
    )
    event_logs.output_arguments(parser)


def run(options: argparse.Namespace) -> None:
    """The entries and, if asked for, what was left out, of which the curator is told anyway; or what a part holds."""
    schema = event_logs.log_of(options)
    if options.part:
        _check_part(options, schema)
    given = _given(options, schema)

    from dpsampling.warlogs import reader, sources  # numpy and pandas

    with inherit_permissions(*given):
        if options.parts:
            parts = [reader.load(path) for path in given]
            _check_parts(
                schema, parts, [path for path, p in zip(given, parts, strict=True) if not reader.is_of(schema, p)]
            )
            entries, report = reader.together(schema, parts)
        else:
            for path in given:
                sources.check(path)  # the last one too, before hours are spent on the others
            if options.part:
                part = reader.part(schema, given, origin=options.origin, seen=progress.watched())
                with atomic_path(options.out) as partial:
                    reader.put(partial, part)
                return
            entries, report = reader.read(schema, given, origin=options.origin, seen=progress.watched())
        event_logs.write(options, lambda path: reader.put(path, entries), report)
    reader.tell(located.called(given), report)


def _given(options: argparse.Namespace, schema: LogSchema) -> tuple[Path, ...]:
    """The files with the rows, or with what was read of them."""
    if options.parts:
        given = located.files(options.parts, "--parts")
    else:
        given = located.files(options.raw, "--raw") if options.raw else schema.located()
    if not given:
        raise InputError(f"log {schema.name} names no file; name its rows with --raw FILE.csv.")
    if options.part and len(given) != 1:
        raise InputError(f"--part reads one file, and {len(given)} are named; name one of them with --raw.")
    check_apart(files_of(options)[0], given)
    return given


def _check_parts(schema: LogSchema, parts: Sequence[Entries], strange: Sequence[Path]) -> None:
    """That none of the parts was read by another schema, and no file is in two of them."""
    if strange:
        raise InputError(
            f"{strange[0]} was read by another schema than that of log {schema.name}; read its file again."
        )
    name, times = Counter(name for part in parts for name in part.tally.sources).most_common(1)[0]
    if times > 1:
        raise InputError(f"--parts has the rows of {name} {times} times over; name one part for each file.")


def _check_part(options: argparse.Namespace, schema: LogSchema) -> None:
    """That a part can be read by itself, and is asked for nothing that only all of them tell."""
    if options.parts or options.report:
        surplus = "--parts" if options.parts else "--report"
        raise InputError(f"--part reads one file of several; leave out {surplus}, or --part.")
    if schema.unit_column is not None:
        raise InputError(
            f"log {schema.name} says who a row is about, and rows of one {schema.unit.name} may be in any file; read "
            "all its files at once, without --part."
        )
