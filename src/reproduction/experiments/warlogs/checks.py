"""What the parameters of experiments on event logs must say together, and when they are the thesis's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError
from dpsampling.event_logs import schema

EMISSIONS = {"beta": 1}  # of every fit
CHAIN = {"alpha": 1, "iterations": 200, "burn_in": 100}  # of those with more than one state
STATES = 10  # for prediction
MULTIPLIERS = (10, 100)


def check(params: Mapping[str, Any]) -> None:
    """The logs exist, and the chain is longer than its burn-in."""
    for log in params.get("logs", [params["log"]] if "log" in params else []):
        if schema.is_path(log):
            raise InputError(f"log {log} is a file; put it into config/logs and name it without its ending.")
        schema.load(log)
    if "burn_in" in params and params["burn_in"] >= params["iterations"]:
        raise InputError(f"burn_in is {params['burn_in']}; it must be below iterations, {params['iterations']}.")


def unlike_predictions(params: Mapping[str, Any], *, simulated: bool, chain: bool = True) -> list[str]:
    """Return what differs from the thesis's model and scale, for prediction; a model of one state has no `chain`."""
    multipliers = params.get("multipliers", MULTIPLIERS)
    unlike = unlike_fits(params, {"states": STATES} if chain else {}, simulated=simulated, chain=chain)
    if not set(multipliers) <= set(MULTIPLIERS):
        unlike.append(beside("multipliers", multipliers, list(MULTIPLIERS)))
    return unlike


def unlike_fits(
    params: Mapping[str, Any], more: Mapping[str, Any], *, simulated: bool, chain: bool = True
) -> list[str]:
    """Return what differs from the thesis in `more`, its priors, lengths of chains and size of the log.

    The size is the rows' own where a log is not simulated.
    """
    thesis = {**more, **EMISSIONS, **(CHAIN if chain else {}), **({"rows": 1} if simulated else {})}
    return [beside(name, params[name], value) for name, value in thesis.items() if params[name] != value]


def beside(name: str, value: Any, thesis: Any) -> str:
    """A parameter that is not the thesis's, in words."""
    return f"{name} = {value}, the thesis has {thesis}"


def too_few(params: Mapping[str, Any], **least: int) -> list[str]:
    """Name the parameters below the least that a claim needs: repetitions by their number, lists by their length."""
    sizes = {name: len(params[name]) if isinstance(params[name], list) else params[name] for name in least}
    return [
        f"{name} {'has' if isinstance(params[name], list) else '='} {sizes[name]}, the claim needs {needed} or more"
        for name, needed in least.items()
        if sizes[name] < needed
    ]
