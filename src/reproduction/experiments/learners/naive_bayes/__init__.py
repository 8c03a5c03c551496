"""Naive Bayes: what a record moves, what noise on the words' quantities costs, and accuracy against ε."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError

COLUMNS = {
    "view": str,  # one of those below
    "dataset": str | None,
    "mechanism": str,
    "relation": str | None,
    "attributes": int,
    "epsilon": float | None,  # as stated
    "delta": float | None,
    "epsilon_true": float | None,  # inf where no ε is enough
    "delta_true": float | None,  # at the stated ε
    "moved_l1": float | None,  # by a neighbour, the most that was found
    "moved_l2_squared": float | None,
    "pairs": int | None,  # of data sets that were looked at
    "n": int | None,  # records for training
    "accuracy": float | None,
    "sd": float | None,
    "standard_error": float | None,
    "repeats": int | None,
}

ENUMERATED, PAIR, ACCURACY = "enumerated", "pair", "accuracy"
COUNTS, TABLES, SHARES = "counts", "tables", "shares"  # what is enumerated
# Pairs of data sets: noise whose scale hangs on the rows, and none where the words have none.
CLASS_SCALE, MEAN_SCALE, NO_PRIOR_NOISE = "scale 1/(n_y ε)", "scale (u − l)/((n + 1)ε)", "P(Y = y) without noise"
RECORDS = 10  # of the mean's data set
# Accuracies.
PLAIN, PRINTED, GAUSSIAN = "without noise", "noise 1/ε on P(x | y)", "Gaussian counts"
EACH, WHOLE = "noise 1/ε on every count", "noise (m + 1)/ε on every count"
ADDED, REPLACED = "add or remove one record", "replace one record"


def check(params: Mapping[str, Any]) -> None:
    """Two rows of each kind for a spread."""
    if params["repeats"] < 2:
        raise InputError("repeats is 1; a standard error needs 2 or more.")
