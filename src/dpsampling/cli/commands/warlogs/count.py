"""`dpsampling warlogs count`: a log's rows, read, reduced to features, and counted by region and month."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpsampling import files
from dpsampling.cli import configuration
from dpsampling.cli.commands import warlogs as event_logs
from dpsampling.cli.outputs import OutputFile, files_of
from dpsampling.errors import InputError
from dpsampling.event_logs import log_files, progress
from dpsampling.event_logs.schema import LogSchema

if TYPE_CHECKING:
    from dpsampling.event_logs.reader import Entries

HELP = "count a log's outcomes by region and month: of its rows, as published, or of simulated rows"
TABLE = (
    "the counts as a table too, feature by feature, as 'published' of a schema names one; exact counts are not "
    "protected: one row more or less is seen in them"
)
RAW = (
    "the rows: CSV, plain or packed with gzip or zstd, or Parquet; one file, several, or patterns such as "
    "'data/*.csv' (default: the files that the schema names, else its published counts, else simulated rows)"
)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which log, which rows, where to."""
    event_logs.log_arguments(parser)
    rows = parser.add_mutually_exclusive_group()
    rows.add_argument("--raw", type=Path, nargs="+", metavar="FILE", help=RAW)
    rows.add_argument(
        "--parts", type=Path, nargs="+", metavar="PART.npz", help="what --part wrote of each file of the log, in order"
    )
    parser.add_argument("--part", action="store_true", help="read one of several files, to be counted by --parts")
    parser.add_argument("--rows", default="1", metavar="F", help="scales the number of simulated rows (default: 1)")
    parser.add_argument("--seed", metavar="N", help="of simulated rows (default: the configuration's)")
    parser.add_argument(
        "--origin", choices=("simulated", "file"), default="file", help="where the rows are from (default: file)"
    )
    parser.add_argument("--out", action=OutputFile, required=True, metavar="FILE.npz")
    parser.add_argument("--table", action=OutputFile, metavar="FILE.csv", help=TABLE)
    parser.add_argument(
        "--report", action=OutputFile, metavar="FILE.json", help="what was left out, and why; not private"
    )


def run(options: argparse.Namespace) -> None:
    """The counts and, if asked for, what was left out, of which the curator is told anyway; or what a part holds."""
    schema, seed = event_logs.log_of(options), configuration.seed_of(options.seed)
    if options.part:
        _check_part(options, schema)
    given, rows = _given(options, schema), event_logs.number(options.rows, "--rows")

    from dpsampling.event_logs import aggregates, counts, features, reader, sources  # numpy and pandas

    with files.inherit_permissions(*given):
        if not options.parts:
            for path in given:
                sources.check(path)  # the last one too, before hours are spent on the others
        if options.part:
            part = reader.part(schema, given, origin=options.origin, seen=progress.watched())
            with files.atomic_path(options.out) as partial:
                reader.put(partial, part)
            return
        report: dict[str, Any] = {}
        if options.parts:
            parts = [reader.load(path) for path in given]
            _check_parts(
                schema, parts, [p for p, part in zip(given, parts, strict=True) if not reader.is_of(schema, part)]
            )
            entries, report = reader.together(schema, parts)
        elif given:
            entries, report = reader.read(schema, given, origin=options.origin, seen=progress.watched())
        if given:
            table, reduced = features.extract(schema, entries)
            found = counts.count(table)
        else:
            found, reduced = counts.of_log(schema, seed=seed, rows=rows), {}
        wanted = [path for path in (options.out, options.table, options.report) if path is not None]
        with files.staged(*wanted) as partials:
            at = dict(zip(wanted, partials, strict=True))
            counts.put(at[options.out], found)
            if options.table:
                files.put_table(at[options.table], aggregates.frame(found))
            if options.report:
                at[options.report].write_text(files.json_text({**report, "features": reduced}), encoding="utf-8")
    if given:
        reader.tell(log_files.called(given), report)


def _given(options: argparse.Namespace, schema: LogSchema) -> tuple[Path, ...]:
    """Return the files with the rows, or with what was read of them; none where the log names no rows."""
    if options.parts:
        given = log_files.files(options.parts, "--parts")
    else:
        given = log_files.files(options.raw, "--raw") if options.raw else schema.located()
    if options.part and len(given) != 1:
        raise InputError(f"--part reads one file, and {len(given)} are named; name one of them with --raw.")
    files.check_apart(files_of(options)[0], given)
    return given


def _check_parts(schema: LogSchema, parts: Sequence[Entries], strange: Sequence[Path]) -> None:
    """Raise an InputError if a part was read by another schema, or a file is in two of them."""
    if strange:
        raise InputError(
            f"{strange[0]} was read by another schema than that of log {schema.name}; read its file again."
        )
    name, times = Counter(name for part in parts for name in part.tally.sources).most_common(1)[0]
    if times > 1:
        raise InputError(f"--parts has the rows of {name} {times} times over; name one part for each file.")


def _check_part(options: argparse.Namespace, schema: LogSchema) -> None:
    """Raise an InputError if a part cannot be read by itself, or is asked for what only all of them tell."""
    if options.parts or options.report or options.table:
        raise InputError("--part reads one file of several; leave out --parts, --table and --report, or --part.")
    if schema.unit_column is not None:
        raise InputError(
            f"log {schema.name} says who a row is about, and rows of one {schema.unit.name} may be in any file; read "
            "all its files at once, without --part."
        )
