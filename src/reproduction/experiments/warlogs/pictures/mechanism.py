"""The mechanism of a picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpsampling.event_logs.mechanisms import Mechanism, NoisyCounts, OnePosteriorSample


def mechanism_of(params: Mapping[str, Any]) -> Mechanism:
    """OPS if the parameters have a truncation multiplier M, else the Laplace mechanism."""
    if "multiplier" in params:
        return OnePosteriorSample(params["epsilon"], params["multiplier"])
    return NoisyCounts(params["epsilon"], params["variant"])
