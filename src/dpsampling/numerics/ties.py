"""Choices that rounding does not make: of values that are equal but for their last bits, the first is taken.

Which of them is the largest in floats differs between processors and libraries, so that the place of a maximum, the
case that shows it, or the side of a threshold would differ between machines.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.numerics.arrays import Indices

DIGITS = 9  # of values that are told apart
NEAR = 10.0**-DIGITS  # of the largest value, and at least of 1: closer ones are equal


def first_of_largest(values: ArrayLike, near: float = NEAR) -> Indices:
    """Return along the last axis the first index whose value is within `near` of the largest, or is no number."""
    found = np.asarray(values, dtype=float)
    top = found.max(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore"):  # ∞ − ∞
        chosen = (found == top) | (found >= top - near * np.maximum(1.0, np.abs(top))) | np.isnan(found)
    return np.asarray(chosen.argmax(axis=-1))
