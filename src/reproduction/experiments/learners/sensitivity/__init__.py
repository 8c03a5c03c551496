"""What one record moves of what learners put their noise on: printed, proved, and found by a search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError

COLUMNS = {
    "learner": str,  # one of those below
    "dimension": int,  # d, or m attributes
    "n": int | None,  # records, where the number depends on them
    "relation": str,
    "measure": str,  # a norm, or how far away from 0 an expansion is looked at
    "unit": str,
    "printed": float | None,  # as commonly stated; none where no number is
    "bound": float,  # proved
    "found": float,  # the largest of a search or an enumeration
    "tried": int,  # data sets, or pairs of them, that it began with
}

LINEAR, LOGISTIC = "functional, linear", "functional, logistic"
HINGE_OUTPUT, LOGISTIC_OUTPUT = "output, hinge loss", "output, logistic loss"
ADA_SSP = "AdaSSP, three statistics"
TABLES, COUNTS = "naive Bayes, P(x|y)", "naive Bayes, counts"
BLOCKS, CLIPPED = "k-means, mean of blocks", "DP-SGD, clipped sum"
TAYLOR = "Taylor, ln(1 + e^z)"
ADDED, REPLACED, NONE = "add or remove", "replace", "none"
NEAR, FAR = 1.0, 5.0  # |x·w| up to which an expansion is looked at
MOST = 40


def check(params: Mapping[str, Any]) -> None:
    """Matrices of d × d numbers for each of many starts."""
    largest = max(params["dimensions"])
    if largest > MOST:
        raise InputError(f"dimensions has {largest}; this search needs {MOST} or less.")
