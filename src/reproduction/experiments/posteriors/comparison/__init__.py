"""The properties of the Laplace mechanism and of OPS, every cell computed (thesis Table 4.1)."""

from collections.abc import Mapping
from typing import Any

from reproduction.experiments.checks import beta_prior, exact_noise

COLUMNS = {"mechanism": str, "property": str, "value": float}


def check(params: Mapping[str, Any]) -> None:
    """A Beta prior has two parameters, and exact expectations need some ε."""
    beta_prior(params)
    exact_noise(params)
