"""What k answers of the posterior-sampling query model cost: promised, and exactly."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError

COLUMNS = {
    "query": str,  # one of those below
    "queries": int,
    "epsilon_promised": float,  # of the session
    "epsilon_exact": float,  # the largest log-ratio over all sequences of answers, one after the other
    "renyi_promised": float,  # k R₂ of one draw
    "renyi_exact": float,  # R₂ of the answers
    "sequences": int,
    "distance": float | None,  # ‖p̂ − p‖₁ of simulated sequences, where there are few
    "distance_limit": float | None,  # exceeded with probability 1e-6 at most, by Weissman's bound
}

IDENTITY, MIDDLE = "θ itself", "whether θ is above the middle"
ADAPTIVE = "whether θ is at most the number of earlier answers that were yes"
RISK = 1e-6
SMALLEST_LEVEL, LARGEST_LEVEL = 1e-3, 100.0


def check(params: Mapping[str, Any]) -> None:
    """All sequences of answers are enumerated, and what one answer costs is what others are compared with."""
    if 1 not in params["counts"]:
        raise InputError(f"counts is {params['counts']}; one query must be among them, for others to be compared with.")
    if not SMALLEST_LEVEL <= params["epsilon"] <= LARGEST_LEVEL:
        raise InputError(
            f"epsilon is {params['epsilon']:g}; what answers cost is found to nine digits for levels from "
            f"{SMALLEST_LEVEL:g} to {LARGEST_LEVEL:g}."
        )
    most = max(params["counts"])
    if most * math.log10(params["outcomes"]) > 6.0:
        raise InputError(
            f"outcomes is {params['outcomes']} and counts has {most}; of the sequences of answers, "
            f"{params['outcomes']} to the power {most}, 1000000 are enumerated at most: lower one of them."
        )
