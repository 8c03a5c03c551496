"""`dpsampling design`: a data set's rows as a design matrix and labels."""

from __future__ import annotations

import argparse
from pathlib import Path

from dpsampling import files
from dpsampling.cli.outputs import OutputFile, files_of
from dpsampling.datasets import descriptions

HELP = "make a design matrix and labels of a data set's rows"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Of which data set, from which files, where to."""
    parser.add_argument("name", metavar="NAME", help="a data set of config/datasets with a label and a split")
    parser.add_argument(
        "--raw",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="its file, or its files in their order (default: those that the description names); may be repeated",
    )
    parser.add_argument("--out", action=OutputFile, required=True, metavar="FILE.npz")


def run(options: argparse.Namespace) -> None:
    """The design; how many rows it has is said."""
    raw = options.raw or descriptions.places(descriptions.description(options.name))
    files.check_apart(files_of(options)[0], raw)

    from dpsampling.datasets import design, making  # numpy

    made = making.build(options.name, options.raw)
    with files.inherit_permissions(*raw), files.staged(options.out) as (out,):
        design.put(out, made)
    train, test, columns = design.shape_of(made)
    print(f"{options.out}: {train} rows for training, {test} for testing, {columns} features")
