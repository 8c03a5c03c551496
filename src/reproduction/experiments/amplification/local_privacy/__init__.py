"""Mixing conditions as local differential privacy (thesis section 6.3, Figure 6.2)."""

from collections.abc import Mapping
from typing import Any

from dpsampling.files.grids import expand
from reproduction.experiments.checks import responses

COLUMNS = {"condition": str, "gamma": float, "ldp_epsilon": float, "ldp_delta": float}


def check(params: Mapping[str, Any]) -> None:
    """Randomized response must have probabilities that floats can hold."""
    responses("epsilons", expand(params["epsilons"]))
