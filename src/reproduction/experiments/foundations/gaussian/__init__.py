"""Where the Gaussian mechanism keeps its promise (ε, δ), and at which distance of the data sets it ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError

COLUMNS = {
    "calibration": str,  # one of those below
    "epsilon": float,
    "delta": float,
    "distance": int,
    "sigma": float,  # for κ = 1
    "delta_true": float,
    "delta_integral": float,  # the same by quadrature
}

CLASSICAL, ANALYTIC = "classical", "analytic"
LIMIT = "classical, at its last ε"

LEAST_DELTA = 1e-12
LARGEST_LOSS = 1e5  # dε, beyond which densities are 0 as floats wherever they differ so much


def check(params: Mapping[str, Any]) -> None:
    """Probabilities below 1, and levels that floats can tell."""
    low, high = min(params["deltas"]), max(params["deltas"])
    if low < LEAST_DELTA or high >= 1:
        wrong = low if low < LEAST_DELTA else high
        raise InputError(
            f"deltas has {wrong:g}; the integrals of this experiment tell promises of {LEAST_DELTA:g} or more, below 1."
        )
    largest = max(params["epsilons"]) * max(params["distances"])
    if largest > LARGEST_LOSS or min(params["epsilons"]) < 1e-4:
        raise InputError(
            f"epsilons and distances go to a product of {largest:g}; the integrals of this experiment need ε of 0.0001 "
            f"or more and a product of {LARGEST_LOSS:g} or less."
        )
