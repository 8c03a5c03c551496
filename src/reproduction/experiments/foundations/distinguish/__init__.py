"""The error of the best test that tells x from y after n posterior draws, against Theorem 3 of Robust 2014."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError

COLUMNS = {
    "family": str,
    "pair": str,
    "query": str,  # what is asked: θ itself, or an indicator of it
    "records": int,
    "concentration": float,  # λ, α or ε
    "assumption": int,
    "constant": float,  # L or c
    "per_unit": float,  # 2L or κ/c
    "distance": float,  # ρ
    "n": int,  # draws
    "delta": float,
    "distance_bound": float,  # of Theorem 3, at n and δ
    "exact_error": float,
    "empirical_error": float | None,
    "standard_error": float | None,
    "least_error": float,  # that no test is below under Assumption 1; 0 under Assumption 2
}

COINS, EXPONENTIAL, NORMAL, BITS = "coins", "exponential", "normal", "bits"
THETA = "θ"
REORDERED = "records in another order"
CHANGED = "one record changed"
UNANIMOUS = "one record of equal ones changed"

LARGEST_DRAWS = 4 * 10**7  # that are made, runs times draws


def check(params: Mapping[str, Any]) -> None:
    """Draws that are held."""
    largest = max(params["posterior_draws"])
    if largest * params["runs"] > LARGEST_DRAWS:
        raise InputError(
            f"posterior_draws has {largest} and runs is {params['runs']}; ask for {LARGEST_DRAWS:g} draws at most, "
            "the product of both."
        )
