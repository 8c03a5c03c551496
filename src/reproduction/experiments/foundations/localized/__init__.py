"""Gaussian noise fitted to each data set: what it is said to keep, and what it keeps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError

COLUMNS = {
    "view": str,  # one of those below
    "function": str,
    "mechanism": str,
    "convention": str | None,
    "epsilon": float,
    "delta_claimed": float | None,
    "pair": str | None,
    "distance": float | None,
    "first_centre": float | None,
    "second_centre": float | None,
    "first_sigma": float | None,
    "second_sigma": float | None,
    "rms_sigma": float | None,  # over all points
    "delta_true": float | None,
    "ratio": float | None,  # of the δ's
    "floor": float | None,  # of δ, however wide the noise of this pair
    "epsilon_true": float | None,
    "cases": int,
}

MAP, PAIRS, SEARCH = "worst pair", "pair", "worst function"
CONSTANTS, TAIL, OTHERS = "constants", "tail", "other noise"

LOCALIZED, SMOOTH, ORDINARY, AS_PRIVATE = "localized", "smooth sensitivity", "ordinary", "ordinary, as private"
USUAL, LAPLACE, EXPONENTIAL = "usual constants", "Laplace", "exponential"
BOUND = "three times as wide"

NEIGHBOURS, OWN, REFERENCE = "neighbours", "definition 2.15", "any distance"
CONVENTIONS = (NEIGHBOURS, OWN, REFERENCE)  # e^ε at distance 1; e^{dε} at distance d; e^ε at any distance

EXAMPLE, SMALLEST, WORST = "0, 1, 2, 5", "0, 0, 1", "2, 3, 0"
FUNCTIONS = {EXAMPLE: (0, 1, 2, 5), SMALLEST: (0, 0, 1), WORST: (2, 3, 0)}

MOST_FUNCTIONS = 5000


def check(params: Mapping[str, Any]) -> None:
    """Few functions are searched."""
    points, height = max(params["line_points"]), params["height"]
    if (height + 1) ** points > MOST_FUNCTIONS:
        raise InputError(
            f"line_points has {points} and height is {height}: that is {(height + 1) ** points} functions; "
            f"ask for {MOST_FUNCTIONS} at most."
        )
