"""`dpsampling warlogs simulate | read | features | counts | schema`: from a log's rows to counts."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpsampling.errors import InputError
from dpsampling.files import check_ending

if TYPE_CHECKING:
    from dpsampling.warlogs.schema import LogSchema

Commands = Any  # argparse does not name the type of what add_subparsers returns


def add(commands: Commands) -> Commands:
    """Add the group; returns where its sub-commands are, so that more can be added."""
    group = commands.add_parser(
        "warlogs", help="event logs: simulate, read, reduce and count their rows, infer a schema"
    )
    inside = group.add_subparsers(metavar="COMMAND", required=True)

    simulate = _command(inside, "simulate", _simulate, "write a log with planted states in its published format")
    simulate.add_argument(
        "--seed", metavar="N", help="the number that names the random streams (default: the configuration's)"
    )
    simulate.add_argument("--rows", default="1", metavar="F", help="scales the number of rows (default: 1)")
    simulate.add_argument("--out", type=Path, required=True, metavar="FILE.csv")
    simulate.add_argument(
        "--planted", type=Path, metavar="FILE.csv", help="the planted state of every region and month"
    )

    read = _command(inside, "read", _read, "read a log's rows: times, regions and what the features need")
    read.add_argument("--raw", type=Path, metavar="FILE.csv[.gz]", help="the rows (default: the file the schema names)")
    read.add_argument(
        "--origin", choices=("simulated", "file"), default="file", help="where the rows are from (default: file)"
    )
    _outputs(read)

    features = _command(inside, "features", _features, "reduce entries to the features of the model")
    features.add_argument("--entries", type=Path, required=True, metavar="FILE.npz")
    _outputs(features)

    counts = _command(inside, "counts", _counts, "count outcomes by region and month")
    counts.add_argument("--features", type=Path, required=True, metavar="FILE.npz")
    counts.add_argument("--out", type=Path, required=True, metavar="FILE.npz")

    schema = inside.add_parser("schema", help="draft a schema from the rows of a log of your own; it is not private")
    schema.add_argument("file", type=Path, metavar="FILE.csv[.gz]")
    schema.add_argument("--time", required=True, metavar="COLUMN", help="the column with the time")
    schema.add_argument("--region", required=True, metavar="COLUMN", help="the column with the region")
    schema.add_argument(
        "--category",
        nargs="+",
        action="extend",
        default=[],
        metavar="COLUMN",
        help="a column with one of several values",
    )
    schema.add_argument(
        "--count", nargs="+", action="extend", default=[], metavar="COLUMN", help="a column with a number"
    )
    schema.add_argument("--delimiter", default=",", metavar="C", help="between two fields (default: a comma)")
    schema.add_argument("--encoding", default="utf-8", metavar="NAME", help="the text's encoding (default: utf-8)")
    schema.add_argument("--no-header", action="store_true", help="the first line is a row; needs --columns")
    schema.add_argument("--columns", nargs="+", default=[], metavar="COLUMN", help="all columns in their order")
    schema.add_argument("--out", type=Path, required=True, metavar="FILE.yaml")
    schema.set_defaults(run=_schema)
    return inside


def _command(inside: Commands, name: str, run: Any, about: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = inside.add_parser(name, help=about)
    parser.add_argument("log", metavar="LOG", help="a log of config/logs, or a YAML file of the same shape")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="key=value",
        help="a change of the schema, in YAML; may be repeated",
    )
    parser.set_defaults(run=run)
    return parser


def _outputs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.npz")
    parser.add_argument("--report", type=Path, metavar="FILE.json", help="what was left out, and why; not private")


def _log(options: argparse.Namespace) -> LogSchema:
    from dpsampling import config
    from dpsampling.warlogs import schema

    return schema.load(options.log, config.parse_settings(options.set))


def _simulate(options: argparse.Namespace) -> None:
    from dpsampling import config, files
    from dpsampling.warlogs import simulator

    schema = _log(options)
    seed = config.load()["seed"] if options.seed is None else config.check_seed(options.seed)
    for path in (options.out, options.planted):
        check_ending(path, ".csv")
    simulated = simulator.simulate(schema, seed, _number(options.rows, "--rows"))
    targets = [options.out, options.planted] if options.planted else [options.out]
    with files.staged(*targets) as partials:
        simulator.put_raw(partials[0], simulated)
        if options.planted:
            files.put_table(partials[1], simulator.planted_table(simulated))


def _read(options: argparse.Namespace) -> None:
    from dpsampling.warlogs import reader

    schema = _log(options)
    check_ending(options.out, ".npz")
    check_ending(options.report, ".json")
    raw = options.raw or (Path(schema.file) if schema.file else None)
    if raw is None:
        raise InputError(f"log {schema.name} names no file; name its rows with --raw FILE.csv.")
    entries, report = reader.read(schema, raw, origin=options.origin)
    _write(options, lambda path: reader.put(path, entries), report)


def _features(options: argparse.Namespace) -> None:
    from dpsampling.warlogs import features, reader

    schema = _log(options)
    check_ending(options.out, ".npz")
    check_ending(options.report, ".json")
    table, report = features.extract(schema, reader.load(options.entries))
    _write(options, lambda path: features.put(path, table), report)


def _counts(options: argparse.Namespace) -> None:
    from dpsampling.warlogs import counts, features

    schema = _log(options)
    check_ending(options.out, ".npz")
    table = features.load(options.features)
    if table.log != schema.name:
        raise InputError(f"{options.features} has features of log {table.log}; name those of {schema.name}.")
    counts.save(options.out, counts.count(table))


def _schema(options: argparse.Namespace) -> None:
    from dpsampling import files
    from dpsampling.warlogs import infer

    check_ending(options.out, ".yaml")
    if options.no_header and not options.columns:
        raise InputError("--no-header needs --columns with the names of all columns in their order.")
    text = infer.infer(
        options.file,
        time=options.time,
        region=options.region,
        categories=options.category,
        counts=options.count,
        delimiter={r"\t": "\t", "tab": "\t"}.get(options.delimiter, options.delimiter),
        encoding=options.encoding,
        columns=options.columns,
        header=not options.no_header,
    )
    files.write_text(options.out, text)
    sys.stderr.write(
        f"dpsampling: {options.out} is {infer.WARNING}; edit it to what is public anyway before you use it.\n"
    )


def _write(options: argparse.Namespace, put: Any, report: Any) -> None:
    """The archive and, if it is asked for, the report; both or none."""
    from dpsampling import files

    with files.staged(*([options.out, options.report] if options.report else [options.out])) as partials:
        put(partials[0])
        if options.report:
            partials[1].write_text(files.json_text(report), encoding="utf-8")


def _number(text: str, what: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise InputError(f"{what} is '{text}'; write a number, such as 0.05.") from error
