"""Design matrices of data sets, by name: made before, or made now from the sets' own files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dpsampling.datasets import descriptions, design, making
from dpsampling.datasets.design import Design
from dpsampling.errors import InputError
from reproduction.inputs import Given, Raw, Supply, paths

EVALUATION = "an evaluation with a public seed, which protects nobody"


def supply(parameters: Mapping[str, Any], given: Given, *, seed: int, stream: str, raw: Raw) -> Supply:
    """A design for each data set of the parameters."""
    del seed, stream, raw  # nothing is drawn here, and the files are those that config/datasets names
    found = {made.name: made for made in map(design.load, given["design"])}
    wanted = paths.datasets(parameters)
    strangers = sorted(set(found) - set(wanted))
    if strangers:
        raise InputError(f"a design of '{strangers[0]}' is given, but the data sets asked for are {', '.join(wanted)}.")
    read: list[Path] = []
    for name in wanted:
        if name not in found:
            found[name] = making.build(name)
            read += descriptions.places(descriptions.description(name))
    return Supply({name: found[name] for name in wanted}, about(found.values()), read)


def about(designs: Any) -> dict[str, Any]:
    """What is told of the data sets beside a table: their sizes are public where neighbours replace a record."""
    return {made.name: _about(made) for made in designs}


def _about(made: Design) -> dict[str, Any]:
    train, test, columns = design.shape_of(made)
    return {"title": made.title, "train": train, "test": test, "features": columns, "note": EVALUATION}
