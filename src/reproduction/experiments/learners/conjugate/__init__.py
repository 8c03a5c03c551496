"""Dirichlet posteriors: the error of noise at the end, at each update, and by trees of updates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError

COLUMNS = {
    "view": str,  # the last α, or all of them
    "mechanism": str,
    "updates": int,
    "epsilon": float,
    "fan_out": int | None,
    "error": float,  # root of the mean square, of an entry of α
    "sd": float,  # of a repeat's mean square
    "standard_error": float,  # of the error
    "exact": float,  # the same in closed form
    "draws": int,  # squares in the mean
    "spent": float,  # the largest log-ratio of two neighbours' laws, over all places of the record
}

FINAL, RUNNING = "final", "running"
AT_THE_END, EACH, BINARY, BEST = "at the end", "at each update", "binary tree", "best tree"
MECHANISMS = (AT_THE_END, EACH, BINARY, BEST)

MOST_CELLS = 10**6


def check(params: Mapping[str, Any]) -> None:
    """A standard error, and no table too large."""
    if params["repeats"] < 2:
        raise InputError(f"repeats is {params['repeats']}; a standard error needs 2 or more.")
    if max(params["update_counts"]) * params["categories"] > MOST_CELLS:
        raise InputError(f"update_counts has {max(params['update_counts'])}; with the categories that is too many.")
