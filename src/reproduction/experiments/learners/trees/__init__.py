"""Random trees and boosted bins: what a record moves, the printed formula, and accuracy against ε."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError

COLUMNS = {
    "view": str,  # one of those below
    "dataset": str | None,
    "mechanism": str,
    "relation": str | None,
    "trees": int | None,
    "epsilon": float | None,  # as stated
    "delta": float | None,
    "epsilon_true": float | None,
    "delta_true": float | None,  # at the stated ε
    "moved_l1": float | None,  # by a neighbour, the most that was found
    "off": float | None,  # |Σ_k P(Y = k | x) − 1|, the most over rows x
    "n": int | None,  # records for training
    "accuracy": float | None,
    "sd": float | None,
    "standard_error": float | None,
    "repeats": int | None,
}

ENUMERATED, FORMULA, ACCURACY = "enumerated", "formula", "accuracy"
NO_NOISE, LEAVES = "counts without noise", "counts of all leaves"  # what is enumerated
TO_N, TO_M = "denominator of m − 1 trees", "denominator of m trees"  # the formula's
# Accuracies.
PLAIN_SUMS, PLAIN_SHARES, PLAIN_BOOSTED = "summed counts without noise", "shares without noise", "boosted without noise"
SUMS, SHARES, BOOSTED = "summed counts, as printed", "mean of shares", "boosted bins"
ADDED, REPLACED = "add or remove one record", "replace one record"
ADULT = "adult"  # on which errors of others are published


def check(params: Mapping[str, Any]) -> None:
    """Two rows of each kind for a spread, and two trees for a formula that stops before the last one."""
    for name in ("repeats", "trees"):
        if params[name] < 2:
            raise InputError(f"{name} is {params[name]}; this experiment needs 2 or more.")
