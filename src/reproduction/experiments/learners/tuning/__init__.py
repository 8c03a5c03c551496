"""Tuning: what the best of many private runs spends, and what it is worth at its full price."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError

COLUMNS = {
    "view": str,  # one of those below
    "mechanism": str,
    "gamma": float,
    "order": float | None,  # of Rényi divergence; None for ε-DP and (ε, δ)
    "epsilon_run": float | None,  # of one run with its score
    "epsilon_total": float,  # found, exact, or spent
    "bound": float | None,  # what is promised
    "error": float | None,  # on fresh rows, mean over repeats
    "standard_error": float | None,
    "repeats": int,  # or pairs that were looked at
}

SEARCHED, ENUMERATED, TRAINED = "searched", "enumerated", "trained"
PURE = "pairs of three outcomes"
COIN, THREE = "a coin", "three outcomes"
TUNED, FREE = "tuned at its price", "tuned as if it were free"
UNTUNED, BEST = "a random length", "the best length, known"


def check(params: Mapping[str, Any]) -> None:
    """A finite pair needs an ε that floats can tell."""
    if not 1e-3 <= min(params["epsilons"]) <= max(params["epsilons"]) <= 20:
        raise InputError("epsilons go beyond 0.001 … 20; pairs of so many digits cannot be told apart: take others.")
