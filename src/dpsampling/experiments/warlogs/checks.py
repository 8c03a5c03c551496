"""What the parameters of experiments on event logs must say together, and when they are the thesis's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError
from dpsampling.warlogs import schema

PAPER = {"alpha": 1, "beta": 1, "iterations": 200, "burn_in": 100}  # of every fit
STATES = 10  # for prediction


def check(params: Mapping[str, Any]) -> None:
    """The logs exist, and the chain is longer than its burn-in."""
    for log in params.get("logs", [params["log"]] if "log" in params else []):
        if schema.is_path(log):
            raise InputError(f"log {log} is a file; put it into config/logs and name it without its ending.")
        schema.load(log)
    if "burn_in" in params and params["burn_in"] >= params["iterations"]:
        raise InputError(f"burn_in is {params['burn_in']}; it must be below iterations, {params['iterations']}.")


def at_paper(params: Mapping[str, Any], *, simulated: bool) -> bool:
    """The thesis's model and scale, for prediction."""
    multipliers = params.get("multipliers", [10, 100])
    usual = params["states"] == STATES and set(multipliers) <= {10, 100}
    return usual and as_paper(params, simulated=simulated)


def as_paper(params: Mapping[str, Any], *, simulated: bool) -> bool:
    """The thesis's priors, lengths of chains and size of the log, which is the rows' own where it is not simulated."""
    return all(params[name] == value for name, value in PAPER.items()) and (not simulated or params["rows"] == 1)
