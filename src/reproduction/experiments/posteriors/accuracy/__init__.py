"""E|p̃ − p| of one draw against the number of records (thesis section 4.3.2, Figure 4.2)."""

from collections.abc import Mapping
from typing import Any

from reproduction.experiments.checks import beta_prior, exact_noise

COLUMNS = {"mechanism": str, "n": int, "mean": float, "sem": float, "exact": float}


def check(params: Mapping[str, Any]) -> None:
    """A Beta prior has two parameters, and exact expectations need some ε."""
    beta_prior(params)
    exact_noise(params)
