"""Private linear regression: the error on rows that were held out, against ε."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError

COLUMNS = {
    "dataset": str,
    "title": str,
    "n": int,  # rows that are learned from
    "dimension": int,
    "mechanism": str,
    "relation": str,
    "epsilon": float | None,
    "delta": float | None,
    "mse": float,  # mean over splits and noise
    "sd": float,  # over them
    "repeats": int,
    "delta_spent": float | None,  # true δ at ε of all that AdaSSP releases
    "delta_step": float | None,  # true δ at ε/3 of one of its three steps
}

PLANTED = "planted"
PLAIN, CONSTANT = "least squares", "constant"
FUNCTIONAL_PRINTED, FUNCTIONAL_TIGHT = "functional, printed", "functional, tight"
FUNCTIONAL_ADDED = "functional, tight (add or remove)"
ADA_SSP_PRINTED, ADA_SSP_EXACT = "AdaSSP, printed", "AdaSSP, exact"
ADA_SSP_REPLACED = "AdaSSP, exact (replace)"
ADDED, REPLACED, NONE = "add or remove", "replace", "none"

MOST = 2 * 10**8  # numbers that are drawn or multiplied for planted rows


def check(params: Mapping[str, Any]) -> None:
    """Planted rows that fit."""
    n, d, repeats = params["n"], params["dimension"], params["repeats"]
    if n * d > MOST // 10 or n * d * repeats > 10 * MOST:
        raise InputError(f"n is {n}, dimension {d} and repeats {repeats}; lower one of them.")
    if d > 100:
        raise InputError(f"dimension is {d}; planted rows have 100 features or less.")
