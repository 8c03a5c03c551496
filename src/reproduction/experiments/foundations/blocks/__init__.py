"""Sample-and-aggregate: what its sensitivity is, and its error against the number of blocks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError

COLUMNS = {
    "view": str,  # one of those below
    "function": str,  # f of a block
    "aggregator": str,
    "epsilon": float | None,
    "blocks": int,
    "kappa": float | None,  # of the aggregate without noise
    "kappa_function": float | None,  # of f on all records
    "bound": float | None,  # (b − a)/k
    "error": float | None,  # mean |released − f(X)|
    "standard_error": float | None,
    "noise_error": float | None,  # mean |released − aggregate|
    "block_error": float | None,  # mean |aggregate − f(X)|
    "spread": float | None,  # of the public interval
    "draws": int,  # of noise, or pairs of data sets
}

SENSITIVITY, ERROR = "sensitivity", "error"
MEAN, MEDIAN, SMOOTH = "mean", "median", "smooth median"
AGGREGATORS = (MEAN, MEDIAN, SMOOTH)
LARGEST = "maximum"

MOST_RECORDS, MOST_WINDOWS = 10**7, 2 * 10**9


def check(params: Mapping[str, Any]) -> None:
    """Blocks with records in them, of which a median is in the middle; no array too large."""
    counts, n, repeats = params["block_counts"], params["n"], params["repeats"]
    if max(counts) > n:
        raise InputError(f"block_counts has {max(counts)} for n = {n} records; every block needs a record.")
    even = [count for count in counts if count % 2 == 0]
    if even:
        raise InputError(f"block_counts has {even[0]}; the median is of an odd number of blocks.")
    if repeats * n > MOST_RECORDS:
        raise InputError(f"repeats is {repeats} and n is {n}; their product must be {MOST_RECORDS} or less.")
    if repeats * sum(count**2 for count in counts) > MOST_WINDOWS:
        raise InputError(f"block_counts goes up to {max(counts)} for {repeats} repeats; lower either.")
