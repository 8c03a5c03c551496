"""Figure 7.1: the four cases of composition, each with its exact ε (thesis section 7.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError

COLUMNS = {"case": str, "claimed_epsilon": float, "exact_epsilon": float}
OBSERVATIONS, SELECTIONS = "independent observations", "independent selections"
SAME, DEPENDENT = "the same observation", "dependent selections"


def check(params: Mapping[str, Any]) -> None:
    """Two joined profiles, and one to follow each."""
    if len(params["bernoulli"]) != 4:
        raise InputError(
            f"bernoulli is {params['bernoulli']}; this figure has four profiles, 3 follows 1 and 4 follows 2."
        )
