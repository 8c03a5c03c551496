"""Exact divergences of small logistic posteriors against what supplement A.7 says of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError

COLUMNS = {
    "statement": str,  # one of those below
    "n": int,
    "precision": float,
    "weight": float,
    "order": float,
    "exact": float,
    "bound": float,
    "pairs": int,
}

PAIRS = "all neighbours, d = 1"
LINEAR = "a linear loss"
PUSHED = "two records against many, d = 2"
FLIPPED = "one record, its label flipped"
PRINTED_SUM, HALVED_SUM = "the sum as printed", "the sum with half of its first term"
HERBST = "moment generating function"
ENTROPY, ENTROPY_GAUSSIAN = "entropy against gradient", "entropy against gradient, Gaussian"
SLOPE = "slope of the loss"
EVIDENCE = "evidence of one record"
TRANSFORM = "Gaussian transform"
BY_TAILS = "level by tails"

LARGEST_DATA = 5  # records, of which every multiset and all its neighbours are looked at


def check(params: Mapping[str, Any]) -> None:
    """Few records."""
    if max(params["sizes"]) > LARGEST_DATA:
        raise InputError(
            f"sizes has {max(params['sizes'])}; every data set of so many records is integrated, with all its "
            f"neighbours: ask for {LARGEST_DATA} records at most."
        )
