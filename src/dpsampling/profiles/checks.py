"""What probabilities of profiles must satisfy, in plain Python: experiments check their parameters without arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dpsampling.errors import InputError

SUM_TOLERANCE = 1e-9  # how far from 1 a profile's probabilities may sum; they are then divided by their sum
UNEQUAL = "profiles have different numbers of categories; give each a probability of every one."


def check_numbered(rows: Sequence[Sequence[float]]) -> None:
    """Profiles and categories that are numbered from 1."""
    if len({len(row) for row in rows}) > 1:
        raise InputError(UNEQUAL)
    names, categories = ([str(i + 1) for i in range(size)] for size in (len(rows), len(rows[0])))
    check_probabilities(names, categories, rows)


def check_probabilities(names: Sequence[str], categories: Sequence[str], rows: Sequence[Sequence[float]]) -> None:
    """Probabilities between 0 and 1 that sum to 1, a row a profile."""
    for name, row in zip(names, rows, strict=True):
        for category, probability in zip(categories, row, strict=True):
            if not 0 <= probability <= 1:
                raise InputError(
                    f"profile '{name}' has {probability:g} for category '{category}'; "
                    "a probability lies between 0 and 1."
                )
    for name, row in zip(names, rows, strict=True):
        total = math.fsum(row)
        if abs(total - 1.0) > SUM_TOLERANCE:
            raise InputError(f"profile '{name}' sums to {total:.10g}; its probabilities must sum to 1.")
