"""Figures 7.5–7.8: Pr(output = 1) of each profile of a chain against ε (thesis section 7.6.2).

With the smooth mechanism there are also the same probability in closed form, the ε that its flips have in exact
arithmetic, the flips themselves, and the one flip that the cluster mechanism (Algorithm 7) has for all profiles.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reproduction.experiments.profiles import checks

RESPONSE, SMOOTH = "randomized-response", "smooth-one-bit"
COLUMNS = {"profile": int, "p": float, "epsilon": float, "probability": float}
OF_PROGRAMS = {"closed_form": float, "verified_epsilon": float, "flip": float, "cluster_flip": float}


def columns(params: Mapping[str, Any]) -> dict[str, type]:
    """Those of the programs only where there are some."""
    return COLUMNS | OF_PROGRAMS if params["mechanism"] == SMOOTH else COLUMNS


def check(params: Mapping[str, Any]) -> None:
    """A mechanism for bits."""
    checks.mechanism(params, (RESPONSE, SMOOTH))
