"""`dpsampling warlogs schema`: a draft of a schema from the rows of one's own log."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from dpsampling.cli.outputs import OutputFile
from dpsampling.errors import InputError
from dpsampling.files import write_text

HELP = "draft a schema from the rows of a log of your own; it is not private"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which file, and which of its columns are what."""
    parser.add_argument("file", type=Path, metavar="FILE", help="the rows: CSV, plain or gzipped, or Parquet")
    parser.add_argument("--time", metavar="COLUMN", help="the column with the time, which a table does without")
    parser.add_argument("--region", metavar="COLUMN", help="the column with the region, which a table does without")
    parser.add_argument(
        "--category",
        nargs="+",
        action="extend",
        default=[],
        metavar="COLUMN",
        help="a column with one of several values",
    )
    parser.add_argument(
        "--count", nargs="+", action="extend", default=[], metavar="COLUMN", help="a column with a number"
    )
    parser.add_argument("--delimiter", default=",", metavar="C", help="between two fields (default: a comma)")
    parser.add_argument("--encoding", default="utf-8", metavar="NAME", help="the text's encoding (default: utf-8)")
    parser.add_argument("--no-header", action="store_true", help="the first line is a row; needs --columns")
    parser.add_argument("--columns", nargs="+", default=[], metavar="COLUMN", help="all columns in their order")
    parser.add_argument("--out", action=OutputFile, required=True, metavar="FILE.yaml")


def run(options: argparse.Namespace) -> None:
    """The draft, with a word of warning; whether it is public, and who is protected, is left to its editor."""
    if options.no_header and not options.columns:
        raise InputError("--no-header needs --columns with the names of all columns in their order.")

    from dpsampling.event_logs import infer  # the reader, with numpy and pandas

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
    write_text(options.out, text)
    sys.stderr.write(
        f"dpsampling: {options.out} is {infer.WARNING}; edit it to what is public anyway, then say in it "
        "who made it public and who is protected: nothing is read by it before.\n"
    )
