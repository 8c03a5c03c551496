"""The small statements of thesis chapter 7 on Pufferfish privacy, post-processing and the one-bit mechanisms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError
from reproduction.experiments.columns import SIDES

LEAST, MOST = 0.001, 300.0  # ε, for noise whose probabilities floats have

COLUMNS = SIDES  # x: a flip probability or a distance in the graph

# left = right
DEFINITION_PRINTED, DEFINITION = "Pufferfish, s_i twice", "Pufferfish, s_i and s_j"
INDEPENDENT = "Pufferfish, independent records"
SLOPE_ONE, SLOPE_ZERO = "slope of (7.27)", "slope of (7.28)"
# left ≤ right
PROCESSED, STEP_PRINTED, STEP = "post-processing", "(7.12) as printed", "(7.12) with i and j"
ADAPTIVE, FALLS, SMOOTH = "adaptive parallel composition", "log-ratio falls", "flip along the chain"
RANDOM_CHAIN = "flip far from the costly edge"
# left > right
DEPENDENT = "Pufferfish, dependent records"
# for the figure alone
RATIO = "log-ratio of two profiles"


def check(params: Mapping[str, Any]) -> None:
    """An ε whose noise has probabilities that floats tell apart."""
    if not LEAST <= params["epsilon"] <= MOST:
        raise InputError(f"epsilon is {params['epsilon']:g}; this experiment needs {LEAST:g} to {MOST:g}.")
