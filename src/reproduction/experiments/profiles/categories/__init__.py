"""Figures 7.3 and 7.4: the cost of each category against ε, on a chain of categorical profiles (section 7.6.2).

With the smooth mechanism there are also, at each ε, the local baseline's costs, the ε that the matrices have in exact
arithmetic, their largest off-diagonal entry, and the least that duality leaves possible.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reproduction.experiments.profiles import checks

RESPONSE, SMOOTH = "randomized-response", "smooth-categorical"
COLUMNS = {"epsilon": float, "category": int, "cost": float}
OF_PROGRAMS = {"baseline": float, "verified_epsilon": float, "largest": float, "least": float}


def columns(params: Mapping[str, Any]) -> dict[str, type]:
    """Those of the programs only where there are some."""
    return COLUMNS | OF_PROGRAMS if params["mechanism"] == SMOOTH else COLUMNS


def check(params: Mapping[str, Any]) -> None:
    """Profiles that make a graph, and a mechanism for it."""
    checks.mechanism(params, (RESPONSE, SMOOTH))
    checks.profiles(params)
