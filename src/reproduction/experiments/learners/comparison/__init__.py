"""Every classifier of the room on one data set at the same ε, as the review has it and in a modern form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError

COLUMNS = {
    "mechanism": str,
    "family": str,
    "form": str,  # one of those below
    "relation": str | None,
    "epsilon": float | None,  # as stated; None without privacy
    "delta": float | None,
    "error": float,  # on the test rows, mean over repeats
    "sd": float | None,
    "standard_error": float | None,
    "repeats": int,
    "n": int,  # rows for training
    "conditions": str | None,
}

REVIEW, MODERN, PLAIN = "review", "modern", "without privacy"
BAYES, TREES, LOGISTIC, SVM, NONE = "naive Bayes", "trees", "logistic regression", "SVM", "nothing"

COUNTS, GAUSSIAN_COUNTS = "naive Bayes", "naive Bayes, Gaussian noise"
SUMS, SHARES, BOOSTED = "random trees, summed counts", "random trees, mean of shares", "boosted bins"
FUNCTIONAL, DESCENT = "logistic regression, functional mechanism", "logistic regression, noisy gradients"
OUTPUT, GAUSSIAN = "noise on the output", "Gaussian noise on the output"
PRINTED, TIGHT = "noise on the objective, 2011", "noise on the objective, tight"
MAJORITY = "the commoner label"


def of(family: str, noise: str) -> str:
    """A linear classifier's name."""
    return f"{family}, {noise}"


# The family and the form of each, in the order of tables.
KINDS = {
    COUNTS: (BAYES, REVIEW),
    GAUSSIAN_COUNTS: (BAYES, MODERN),
    SUMS: (TREES, REVIEW),
    SHARES: (TREES, MODERN),
    BOOSTED: (TREES, MODERN),
    FUNCTIONAL: (LOGISTIC, REVIEW),
    DESCENT: (LOGISTIC, MODERN),
    **{of(f, noise): (f, REVIEW) for f in (LOGISTIC, SVM) for noise in (OUTPUT, PRINTED)},
    **{of(f, noise): (f, MODERN) for f in (LOGISTIC, SVM) for noise in (GAUSSIAN, TIGHT)},
}
WITHOUT = {f"{family}, without privacy": family for family in (BAYES, LOGISTIC, SVM)} | {
    "boosted bins, without privacy": TREES
}
RECORD = "adult"  # on which errors of others are published


def check(params: Mapping[str, Any]) -> None:
    """Two runs of each for a spread."""
    for name in ("repeats", "repeats_large"):
        if params[name] < 2:
            raise InputError(f"{name} is {params[name]}; a standard error needs 2 or more.")
