"""Design matrices for a binary label: rows x with ‖x‖₂ ≤ 1 exactly, and y ∈ {0, 1}.

A number v with public bounds [a, b] becomes (min(max(v, a), b) − a)/(b − a) − ½, a category with levels l₀ … l_k the k
features 1{v = l_j} − ½, j ≥ 1 (l₀ is where all are −½), so that every feature is in [−½, ½]; then each row that is not
zero is divided by its norm (supplement A.8 of the NIPS 2017 paper, with bounds and levels that are declared and not
taken from the rows). There is no intercept. What a row becomes hangs on no other row.

Beside them stand the `cells` that they were made of, for what learns from tables: numbers within their bounds, and the
places of levels; and of a label whose rule is about numbers with bounds [a, b] the `outcome`, that number on [−1, 1].

**‖x‖ ≤ 1 in exact arithmetic.** With u = 2⁻⁵³, the float square of the norm is s ≥ (1 − (d+1)u)‖v‖² in whatever order
its d terms are summed, so v/√s has a norm of at most 1 + (d/2 + 3)u; it is multiplied by 1 − (2d + 16)u, which leaves
room for these roundings, and for those of `load`, which looks at every row again.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpsampling.datasets.recipe import Category, Label, Number, Recipe
from dpsampling.datasets.rows import Rows
from dpsampling.errors import InputError
from dpsampling.event_logs import archive

UNIT = 2.0**-53
ARRAYS = ("features", "labels", "cells", "outcome")
MOST = archive.LARGEST // 16  # numbers of a design
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


@dataclass(frozen=True)
class Design:
    """Features and labels, a row an example, and which of them are for training."""

    name: str
    title: str
    columns: tuple[str, ...]
    features: NDArray[np.float64]
    labels: NDArray[np.int8]
    train: int  # the number of rows for training
    own: bool  # whether these are the first rows, and not drawn
    described: tuple[Number | Category, ...] = ()  # a column of cells each; none for images
    cells: NDArray[np.float64] | None = None
    outcome: NDArray[np.float64] | None = None


def make(recipe: Recipe, rows: Rows) -> Design:
    """The design of all rows whose label is one of the two."""
    labels, kept = _labelled(recipe.label, rows)
    if kept.size * len(recipe.columns) > MOST:
        raise InputError(
            f"data set {recipe.name}: {kept.size} rows of {len(recipe.columns)} features are more than {MOST} numbers; "
            "take fewer."
        )
    columns = [_numbers(f, rows, kept) if isinstance(f, Number) else _codes(f, rows, kept) for f in recipe.features]
    own = recipe.split.train is None and recipe.split.share is None
    table = rows.points is None
    design = Design(
        recipe.name,
        recipe.title,
        recipe.columns,
        normalised(np.hstack([_scaled(f, column) for f, column in zip(recipe.features, columns, strict=True)])),
        labels,
        _training(recipe, rows, kept),
        own,
        recipe.features if table else (),
        np.hstack(columns) if table else None,
        _outcome(recipe.label, rows, kept),
    )
    if not 0 < design.train < kept.size:
        raise InputError(
            f"data set {recipe.name} would have {design.train} of {kept.size} rows for training; leave some for either."
        )
    return design


def normalised(features: NDArray[np.float64]) -> NDArray[np.float64]:
    """Every row over its norm, rounded so that no norm is above 1; a row of zeros stays."""
    norms = np.sqrt(np.einsum("ij,ij->i", features, features))[:, None]
    shrunk = 1.0 - (2 * features.shape[1] + 16) * UNIT
    return np.divide(features, norms, out=np.zeros_like(features), where=norms > 0.0) * shrunk


def _labelled(label: Label, rows: Rows) -> tuple[NDArray[np.int8], NDArray[np.intp]]:
    """The labels of the rows that have one of the two, and which rows these are."""
    known: dict[str, int] = {}
    for cell in set(rows.cells[label.column]):
        known[cell] = _label_of(label, cell)
    found = np.fromiter(map(known.__getitem__, rows.cells[label.column]), np.int8, rows.size)
    bad = np.flatnonzero(found < 0)
    if bad.size and not (label.drops and not label.is_number):
        what = "no number" if label.is_number else "neither of the label's values"
        raise InputError(
            f"{rows.place(int(bad[0]))}: column '{label.column}' has {what}; correct it there"
            f"{'' if label.is_number else ', or declare it under label'}."
        )
    kept = np.flatnonzero(found >= 0)
    return found[kept], kept


def _label_of(label: Label, cell: str) -> int:
    """1, 0, or −1 for neither."""
    if label.is_number:
        value = _number(cell)
        if value is None:
            return -1
        return int(value < label.below) if label.below is not None else int(value > (label.above or 0.0))
    return 1 if cell in label.one else 0 if label.zero is None or cell in label.zero else -1


def _scaled(feature: Number | Category, cells: NDArray[np.float64]) -> NDArray[np.float64]:
    """Features in [−½, ½]: a column for each number, and for each level but the first."""
    if isinstance(feature, Number):
        return (cells - feature.low) / (feature.high - feature.low) - 0.5
    return (cells == np.arange(1, len(feature.levels))) - 0.5


def _numbers(feature: Number, rows: Rows, kept: NDArray[np.intp]) -> NDArray[np.float64]:
    """Numbers within their bounds, a column for each point."""
    if feature.shape is not None:
        assert rows.points is not None
        values = rows.points[kept].astype(np.float64)
    else:
        values = _parsed(feature, rows, kept)[:, None]
    return np.clip(values, feature.low, feature.high)


def _parsed(feature: Number, rows: Rows, kept: NDArray[np.intp]) -> NDArray[np.float64]:
    cells = rows.cells[feature.name]
    known = {cell: _number(cell) if cell else feature.missing for cell in set(cells)}
    values = np.array([_nan(known[cells[i]]) for i in kept.tolist()])
    bad = np.flatnonzero(np.isnan(values))
    if bad.size:
        row = int(kept[bad[0]])
        remedy = "correct it there" if cells[row] else "correct it there, or declare a number for `missing`"
        raise InputError(f"{rows.place(row)}: column '{feature.name}' has no number; {remedy}.")
    return values


def _nan(value: float | None) -> float:
    return math.nan if value is None else value


def _number(cell: str) -> float | None:
    """The finite number that a cell spells, if it spells one."""
    value = float(cell) if _NUMBER.fullmatch(cell) else math.inf
    return value if math.isfinite(value) else None


def _codes(feature: Category, rows: Rows, kept: NDArray[np.intp]) -> NDArray[np.float64]:
    """The places of the levels, one column."""
    places = {level: i for i, level in enumerate(feature.levels)}
    outside = -1 if feature.other is None else places[feature.other]
    cells = rows.cells[feature.name]
    codes = np.array([places.get(cells[i], outside) for i in kept.tolist()])
    bad = np.flatnonzero(codes < 0)
    if bad.size:
        raise InputError(
            f"{rows.place(int(kept[bad[0]]))}: column '{feature.name}' has a value that is none of its levels; "
            "declare it, or a level that stands for all others with `other`."
        )
    return codes[:, None].astype(np.float64)


def _outcome(label: Label, rows: Rows, kept: NDArray[np.intp]) -> NDArray[np.float64] | None:
    """The label's numbers on [−1, 1], if they have bounds."""
    if label.bounds is None:
        return None
    low, high = label.bounds
    cells = rows.cells[label.column]
    values = np.array([_nan(_number(cells[i])) for i in kept.tolist()])
    return 2.0 * (np.clip(values, low, high) - low) / (high - low) - 1.0


def _training(recipe: Recipe, rows: Rows, kept: NDArray[np.intp]) -> int:
    """How many rows are for training."""
    split = recipe.split
    if split.train is not None:
        return split.train
    if split.share is not None:
        return math.floor(split.share * kept.size)
    return int((kept < rows.counts[0][1]).sum())


# -- files ----------------------------------------------------------------------------------------------------------


def put(path: Path, design: Design) -> None:
    """Write a design into a path that is staged already."""
    about = {key: value for key, value in asdict(design).items() if key not in ARRAYS}
    arrays = {key: getattr(design, key) for key in ARRAYS if getattr(design, key) is not None}
    archive.put(path, "design", about, arrays)


def load(path: Path) -> Design:
    """Read what `put` wrote, or an InputError; every norm is known to be at most 1."""
    about, arrays = archive.get(Path(path), "design", group="")
    try:
        design = _from_record(about, arrays)
        _check(design)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InputError(f"{path} does not hold a design; make it again with 'dpsampling design'.") from error
    return design


def _from_record(about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Design:
    train, own = about["train"], about["own"]
    if not (isinstance(train, int) and isinstance(own, bool)):
        raise ValueError("the split is none")
    name, title, columns = archive.word(about["name"]), archive.word(about["title"]), archive.words(about["columns"])
    described = tuple(map(_described, about["described"]))
    more = arrays.get("cells"), arrays.get("outcome")
    return Design(name, title, columns, arrays["features"], arrays["labels"], train, own, described, *more)


def _described(told: Mapping[str, Any]) -> Number | Category:
    """A column of cells as it was told."""
    if "levels" in told:
        return Category(archive.word(told["name"]), archive.words(told["levels"]), told["other"])
    low, high = float(told["low"]), float(told["high"])
    if not -math.inf < low < high < math.inf:
        raise ValueError("the bounds are none")
    return Number(archive.word(told["name"]), low, high, told["missing"])


def _check(design: Design) -> None:
    """Check that rows, columns and labels fit each other; a ValueError says that they do not."""
    features, labels = design.features, design.labels
    if features.dtype != np.float64 or labels.dtype != np.int8 or features.shape != (labels.size, len(design.columns)):
        raise ValueError("the arrays are others")
    archive.check_codes(labels, 2, len(features))
    if not 0 < design.train < labels.size:
        raise ValueError("the split leaves nothing")
    if not is_within(features):
        raise ValueError("a row is longer than 1")
    _check_cells(design)


def _check_cells(design: Design) -> None:
    """Check that cells and outcomes are as they are described."""
    size, cells, outcome = design.labels.size, design.cells, design.outcome
    if (cells is None) != (not design.described):
        raise ValueError("cells are not described")
    if cells is not None:
        if cells.dtype != np.float64 or cells.shape != (size, len(design.described)):
            raise ValueError("the cells are others")
        for told, column in zip(design.described, cells.T, strict=True):
            low, high = (told.low, told.high) if isinstance(told, Number) else (0.0, len(told.levels) - 1.0)
            whole = isinstance(told, Number) or bool(np.all(column == np.floor(column)))
            if not (whole and np.all((column >= low) & (column <= high))):
                raise ValueError("a cell is not what its column holds")
    if outcome is not None and not (
        outcome.dtype == np.float64 and outcome.shape == (size,) and np.all(np.abs(outcome) <= 1.0)
    ):
        raise ValueError("outcomes are not within their bounds")


def is_within(features: NDArray[np.float64]) -> bool:
    """Return whether every row's exact norm is certainly at most 1."""
    squares = np.einsum("ij,ij->i", features, features)
    return bool((squares <= 1.0 - (features.shape[1] + 2) * UNIT).all())


def shape_of(design: Design) -> Sequence[int]:
    """Examples for training, examples for testing, and features."""
    return design.train, design.labels.size - design.train, len(design.columns)
