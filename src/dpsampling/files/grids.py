"""Grids: the lists of numbers that a configuration writes as their ends and their number of points."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

from dpsampling.errors import InputError

LARGEST = 10_000  # points


def expand(value: Any, where: str = "a grid") -> Any:
    """A grid {from, to, points} or {ln_from, ln_to, points} as the list it stands for; anything else as it is."""
    if not isinstance(value, Mapping):
        return value
    for low, high, transform in (("from", "to", float), ("ln_from", "ln_to", _exp)):
        if set(value) == {low, high, "points"}:
            a, b, points = value[low], value[high], value["points"]
            numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in (a, b, points))
            if not (numbers and float(points).is_integer() and 2 <= points <= LARGEST and a < b):
                allowed = f"a grid needs {low} < {high} and a whole number of points from 2 to {LARGEST}"
                raise InputError(f"{where} is {show(dict(value))}; {allowed}.")
            try:
                return list(_points(transform, a, b, int(points)))
            except OverflowError:
                raise InputError(f"{where} is {show(dict(value))}; e^{b:g} is too large, lower {high}.") from None
    raise InputError(f"{where} is {show(dict(value))}; a grid is {{from, to, points}} or {{ln_from, ln_to, points}}.")


class Parameters(dict[str, Any]):
    """Parameters by name; one that an experiment's file does not have is the file's fault, and named."""

    def __missing__(self, name: str) -> Any:
        raise InputError(f"the parameter '{name}' is missing; add it to the experiment's parameters.")


def expanded(parameters: Mapping[str, Any]) -> Parameters:
    """The parameters as an experiment sees them: grids as lists."""
    return Parameters({name: expand(value) for name, value in parameters.items()})


@cache
def _points(transform: Callable[[float], float], a: float, b: float, points: int) -> tuple[float, ...]:
    return tuple(transform(point) for point in _evenly(a, b, points))


def _evenly(a: float, b: float, points: int) -> Iterator[float]:
    """Each point as the float nearest to the decimal that is meant: 13, not 12.999999999999998."""
    low, high = Fraction(str(a)), Fraction(str(b))
    step = (high - low) / (points - 1)
    return (float(low + step * i) for i in range(points))


def _exp(x: float) -> float:
    """e^x rounded once, the same on every machine: streams are named by the points of a grid."""
    math.exp(x)  # an OverflowError where it is too large
    return float(Decimal(x).exp())


def show(value: Any) -> str:
    """A value in an error message."""
    text = f"'{value}'" if isinstance(value, str) else str(value)
    text = text if text.isprintable() else repr(value)  # a sentence has one line
    return text if len(text) <= 80 else text[:77] + "…"
