"""`dpsampling design`: a data set's rows as a design matrix and labels."""

from __future__ import annotations

import argparse
from pathlib import Path

from dpsampling import files
from dpsampling.datasets import descriptions, recipe
from dpsampling.errors import InputError
from dpsampling.outputs import Output, files_of

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
    parser.add_argument("--out", action=Output, required=True, metavar="FILE.npz")


def run(options: argparse.Namespace) -> None:
    """The design; how many rows it has is said."""
    told = descriptions.told(options.name)
    made_by = recipe.parse(told, options.name)
    raw = options.raw or descriptions.places(told)
    _check_raw(options.name, told, raw)
    files.check_apart(files_of(options)[0], raw)

    from dpsampling.datasets import design, images, tables  # numpy

    rows = (images if made_by.format == "idx" else tables).read(made_by, raw)
    made = design.make(made_by, rows)
    with files.as_closed_as(*raw), files.staged(options.out) as (out,):
        design.put(out, made)
    train, test, columns = design.shape_of(made)
    print(f"{options.out}: {train} rows for training, {test} for testing, {columns} features")


def _check_raw(name: str, told: dict[str, object], raw: list[Path]) -> None:
    """That the files are there, as many as are described, and are what is meant."""
    from dpsampling.datasets import fetch

    wanted = len(descriptions.files(told))
    if len(raw) != wanted:
        raise InputError(f"--raw is given {len(raw)} times; data set {name} has {wanted} files, so name each.")
    if not all(path.is_file() for path in raw):
        absent = next(path for path in raw if not path.is_file())
        known = raw == descriptions.places(told)
        raise InputError(fetch.missing(name, told) if known else f"{absent} is no file; name the rows of {name}.")
    fetch.check(name, raw, descriptions.checksums(told))
