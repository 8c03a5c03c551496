"""A design from a data set's files: found where the description says, or named, and checked before they are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dpsampling.datasets import descriptions, design, fetch, images, recipe, tables
from dpsampling.datasets.design import Design
from dpsampling.errors import InputError


def build(name: str, raw: Sequence[Path] = ()) -> Design:
    """The design of a data set of config/datasets."""
    told = descriptions.description(name)
    by = recipe.parse(told, name)
    files = list(raw) or descriptions.places(told)
    _check(name, told, files)
    return design.make(by, (images if by.format == "idx" else tables).read(by, files))


def _check(name: str, told: Mapping[str, Any], raw: list[Path]) -> None:
    """Check that the files are there, as many as are described, and are what is meant."""
    wanted = len(descriptions.files(told))
    if len(raw) != wanted:
        raise InputError(f"--raw is given {len(raw)} times; data set {name} has {wanted} files, so name each.")
    if not all(path.is_file() for path in raw):
        absent = next(path for path in raw if not path.is_file())
        known = raw == descriptions.places(told)
        raise InputError(fetch.missing(name, told) if known else f"{absent} is no file; name the rows of {name}.")
    fetch.check(name, raw, descriptions.checksums(told))
