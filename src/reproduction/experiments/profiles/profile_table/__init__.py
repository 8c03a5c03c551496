"""Table 7.1: the profiles of the categorical chain, reconstructed (thesis section 7.6.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reproduction.experiments.profiles import checks

COLUMNS = {"profile": int, "category": int, "probability": float}


def check(params: Mapping[str, Any]) -> None:
    """Profiles that make a graph."""
    checks.profiles(params)
