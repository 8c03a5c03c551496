"""Densities of p under the posterior, OPS, and the Laplace mechanism (thesis section 4.3.2, Figure 4.1)."""

from collections.abc import Mapping
from typing import Any

from reproduction.experiments.checks import beta_prior

COLUMNS = {"mechanism": str, "draw": int, "p": float, "density": float}


def check(params: Mapping[str, Any]) -> None:
    """A Beta prior has two parameters."""
    beta_prior(params)
