"""Test errors of private linear classifiers, and the norms of random features that they may be given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError

COLUMNS = {
    "view": str,  # errors, or norms
    "dataset": str,
    "loss": str,
    "mechanism": str,
    "lambda": float | None,
    "epsilon": float | None,
    "delta": float | None,
    "error": float | None,  # mean share of test rows that are misclassified
    "sd": float | None,  # over repetitions
    "standard_error": float | None,
    "repeats": int,
    "n": int,  # rows that are learnt from
    "dimension": int,
    "gradient_norm": float | None,  # no minimiser's is above it
    "noise_length": float | None,  # mean ‖noise‖ on the output
    "norm": float | None,  # the longest row of features
}

ERRORS, NORMS = "errors", "norms"
PLAIN, OUTPUT, GAUSSIAN = "plain", "output", "output, Gaussian"
PRINTED, TIGHT = "objective, 2011", "objective, tight"
LOGISTIC, HINGE = "logistic", "Huber hinge"
PAIRED, PHASED = "(cos, sin)", "cos with a phase"
PLANTED = "planted"
NO_LOSS = "none"


def check(params: Mapping[str, Any]) -> None:
    """No data set takes the name of the planted one, and none is larger than memory."""
    if PLANTED in params["datasets"]:
        raise InputError(f"datasets has '{PLANTED}', which is made here in any case; leave it out.")
    if params["planted_rows"] * params["planted_dimension"] > 10**6:
        raise InputError("planted_rows times planted_dimension is above a million; lower either.")
