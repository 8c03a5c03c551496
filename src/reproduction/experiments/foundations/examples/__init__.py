"""The review's examples recomputed, and the attack that its introduction speaks of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError

COLUMNS = {
    "example": str,
    "quantity": str,
    "cases": int,
    "queries": int,  # of the attack, for each record; 0 elsewhere
    "noise": float | None,  # its largest, over √n
    "printed": float | None,
    "computed": float,
    "least": float | None,  # of the attack's repeats, whose mean is computed
    "most": float | None,
}

ATTACK = "reconstruction"
RECOVERED = "share of records recovered"
LEVEL, LEAST = "level as printed, without ln", "level with ln"  # of section 4.1
ZERO = "accuracy called zero"
INSIDE = "outputs inside the stated space"
PRIVATE_MEAN = "mean accuracy of every 0-private law on the stated space"
VECTOR = "entry of the difference vector"
SIGMA, PRINTED_SIGMA = "least σ", "σ of Proposition 3.15"
NOISY = "standard error over the range, noisy averages"

LARGEST = 200  # records of a linear program


def check(params: Mapping[str, Any]) -> None:
    """A linear program a data set, which is dense."""
    if params["n"] > LARGEST:
        raise InputError(
            f"n is {params['n']}; an attack solves a dense linear program: ask for {LARGEST} records at most."
        )
