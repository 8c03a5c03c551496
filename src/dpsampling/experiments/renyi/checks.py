"""What the parameters of this room must satisfy together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpsampling.experiments.checks import beta_prior

BETA = "beta-bernoulli"


def conjugate_data(params: Mapping[str, Any]) -> None:
    """A Beta prior has two parameters; priors of other families are checked by the family itself."""
    if params["family"] == BETA:
        beta_prior(params)
