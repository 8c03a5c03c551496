"""What a user declares public of private rows, or one sentence that says what to declare and why."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpsampling.datasets.recipe import Category, Number
from dpsampling.errors import InputError
from dpsampling.learners.columns import Columns

AS_IN_Y = "as in y"  # of classes: whoever gives this says that the labels that occur are public
OCCUR = "which labels occur is public"


def columns(described: Any, bounds: Any, features: int, bins: int) -> Columns:
    """The described columns, or a number with these bounds for each feature."""
    if (described is None) == (bounds is None):
        raise InputError(
            "give either bounds=(low, high), public ones for all features or for each, or columns=[…], a Number or "
            "Category for each; they are never taken from the rows, as a least or greatest value tells of its row."
        )
    found = _numbers(bounds, features) if described is None else tuple(described)
    if len(found) != features or not all(isinstance(column, Number | Category) for column in found):
        raise InputError(f"columns are {len(found)}; there are {features} features: give a Number or Category each.")
    return Columns(found, bins)


def _numbers(bounds: Any, features: int) -> tuple[Number, ...]:
    low, high = _pair("bounds", bounds, features)
    return tuple(Number(f"x{i}", a, b) for i, (a, b) in enumerate(zip(low.tolist(), high.tolist(), strict=True)))


def interval(name: str, bounds: Any) -> tuple[float, float]:
    """Two numbers, the lower one first."""
    if bounds is None:
        raise InputError(
            f"give {name}=(low, high), public bounds of y; they are never taken from the rows, as a least or greatest "
            "value tells of its row."
        )
    low, high = _pair(name, bounds, 1)
    return float(low[0]), float(high[0])


def _pair(name: str, bounds: Any, features: int) -> NDArray[np.float64]:
    try:
        low, high = bounds
        ends = np.stack([np.broadcast_to(np.asarray(end, dtype=np.float64), (features,)) for end in (low, high)])
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be (low, high), each a number or {features} of them.") from error
    if not (np.isfinite(ends).all() and (ends[0] < ends[1]).all()):
        raise InputError(f"{name} must be finite, each lower one below its upper one.")
    return ends


def norm(bound: Any) -> float:
    """Return what no row's Euclidean norm exceeds."""
    if bound is None:
        raise InputError(
            "give norm_bound, a public number that no row's Euclidean norm exceeds (longer rows are shrunk to it); it "
            "is never taken from the rows, the longest of which would tell of itself."
        )
    if not 0 < bound < math.inf:
        raise InputError(f"norm_bound is {bound:g}; it must be above 0 and finite.")
    return float(bound)


def records(count: Any) -> int:
    """About how many rows there are, where their number is private."""
    if count is None:
        raise InputError(
            "give n_records, about how many rows there are, as a public number; it is never the rows' own, as one more "
            "or less is what is hidden."
        )
    return int(count)


def classes(declared: Any, labels: NDArray[Any]) -> NDArray[Any]:
    """The public classes in their order."""
    if declared is None:
        raise InputError(
            "give classes=[…], the public labels, or classes='as in y' if it is public which labels occur; they are "
            "never found in y unasked, where a label of one row would tell of it."
        )
    if isinstance(declared, str):
        if declared != AS_IN_Y:
            raise InputError(f"classes is '{declared}'; give a list of the public labels, or '{AS_IN_Y}'.")
        found = np.unique(labels)
    else:
        found = np.unique(np.asarray(list(declared)))
    if found.size < 2:
        raise InputError(f"there is {found.size} class; a classifier needs two classes or more.")
    return found


def codes(labels: NDArray[Any], known: NDArray[Any]) -> NDArray[np.intp]:
    """The place of each label among the classes."""
    inside = np.isin(labels, known)
    if not inside.all():
        raise InputError(
            f"y holds labels outside classes, {_listed(known)}; declare them public there, or leave such rows out."
        )
    return np.searchsorted(known, labels)


def _listed(known: Sequence[Any] | NDArray[Any]) -> str:
    return ", ".join(map(str, known[:10])) + (", …" if len(known) > 10 else "")
