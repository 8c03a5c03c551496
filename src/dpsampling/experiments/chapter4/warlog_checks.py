"""What the parameters of experiments on event logs must say together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError


def check(params: Mapping[str, Any]) -> None:
    """The logs exist, no two of them are one, and the chain is longer than its burn-in."""
    from dpsampling.warlogs import schema

    for log in params.get("logs", [params["log"]] if "log" in params else []):
        schema.load(log)
    if "burn_in" in params and params["burn_in"] >= params["iterations"]:
        raise InputError(f"burn_in is {params['burn_in']}; it must be below iterations, {params['iterations']}.")
