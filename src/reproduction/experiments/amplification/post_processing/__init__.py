"""Theorem 15's bounds beside the exact privacy of a post-processed mechanism (thesis section 6.3)."""

from collections.abc import Mapping
from typing import Any

from reproduction.experiments.checks import responses

COLUMNS = {
    "mechanism": str,
    "epsilon": float,
    "delta": float,
    "condition": str,
    "gamma": float,
    "epsilon_bound": float,
    "delta_bound": float,
    "delta_exact": float,
    "kernel": str,
}

LOWER = "Dobrushin, lower ε"  # what Dobrushin's condition gives at the level of the last two forms
UNIFORM, TRIANGLE = "uniform noise", "triangle"  # kernels; the figure shows the first


def check(params: Mapping[str, Any]) -> None:
    """Randomized response must have probabilities that floats can hold."""
    responses("epsilon", [params["epsilon"]])
