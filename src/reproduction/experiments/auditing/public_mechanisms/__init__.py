"""Public sets of right and broken mechanisms, each with its price beside what was published of it."""

from collections.abc import Mapping
from typing import Any

from dpsampling.audit.known_mechanisms.price import Setting

COLUMNS = {
    "specimen": str,
    "label": str,
    "group": str,
    "source": str,
    "measure": str,
    "claimed": float,
    "certified": float,
    "kind": str,
    "lower": float,
    "upper": float,
    "on_published_inputs": float | None,
    "witness": str,
    "truth": str,
    "verdict": str,
}

# What the literature speaks of; at other parameters some of the broken are right, and the published runs are others'.
PUBLISHED_WITH = {"epsilon": 0.1, "queries": 10, "candidates": 5}


def setting(params: Mapping[str, Any]) -> Setting:
    """The parameters as the known mechanisms want them."""
    return Setting(params["epsilon"], params["delta"], params["queries"], params["candidates"])


def check(params: Mapping[str, Any]) -> None:
    """The limits of the known mechanisms."""
    setting(params)


def why_not(params: Mapping[str, Any]) -> str:
    """Say why the literature says nothing of these parameters; empty if it does."""
    for key, value in PUBLISHED_WITH.items():
        if params[key] != value:
            return f"the published mechanisms have {key} = {value}, this run {params[key]}"
    return ""
