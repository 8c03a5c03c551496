"""Typed values as the text that a CSV file would have in their place.

Whole numbers have no point, truth is `true` or `false`, what is missing is empty, and moments are `2004-01-31` or
`2004-01-31T17:45:00`: the wall time, whatever zone it is of.
"""

from __future__ import annotations

import datetime
import math
from decimal import Decimal
from typing import Any

import numpy as np

FORMATS = ("%Y-%m-%dT%H:%M:%S", "%Y-%m-%d")  # of moments
_NESTED = (list, tuple, dict, set, frozenset, bytes, bytearray, memoryview, np.ndarray)


def text(value: Any) -> str:
    """A value as text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str):
        return _encodable(value)
    if value is None or type(value).__name__ == "NAType":  # which is neither equal to itself nor not
        return ""
    if isinstance(value, _NESTED):
        raise TypeError(type(value).__name__)
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=None).isoformat(timespec="seconds") if value == value else ""  # NaT is not
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return "" if math.isnan(value) else _number(value, str(value))
    if isinstance(value, Decimal):
        return "" if value.is_nan() else _number(value, format(value, "f") if value.is_finite() else str(value))
    return _encodable(_written(value))


def _number(value: float | Decimal, otherwise: str) -> str:
    """A whole number without a point."""
    return str(int(value)) if abs(float(value)) < 1e16 and value == int(value) else otherwise


def _written(value: Any) -> str:
    try:
        return str(value)
    except ValueError:  # an integer of more digits than Python writes
        return "(a number too long to write)"


def _encodable(value: str) -> str:
    """Without half a character, which no file holds."""
    return value.encode("utf-8", "replace").decode("utf-8")
