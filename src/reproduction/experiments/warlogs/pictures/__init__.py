"""One private fit of one log, shown: thesis Figures 4.3 to 4.5 and 4.7, UAI 2016 supplement Figures 3 to 6.

The parameter `view` says what is shown of it; all views of one fit show the same one.

    states          the most frequent state of every cell
    distributions   what one state emits, by its number `state`
    estimates       the states of the last samples, and of the last one alone
    everything      states and what each emits, under one another; `kind` tells them apart
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError
from reproduction.experiments.warlogs import checks

STATES, DISTRIBUTIONS, ESTIMATES, EVERYTHING = "states", "distributions", "estimates", "everything"  # views
LAST, USUAL, DISTRIBUTION = "last sample", "last {} samples", "distribution"  # kinds of estimates, and what is none

COLUMNS_OF: dict[str, dict[str, Any]] = {
    STATES: {"region": str, "month": str, "state": int, "frequency": float},
    DISTRIBUTIONS: {"state": int, "feature": str, "outcome": str, "probability": float},
    ESTIMATES: {"estimate": str, "region": str, "month": str, "state": int},
    EVERYTHING: {
        "kind": str,
        "region": str | None,
        "month": str | None,
        "state": int,
        "frequency": float | None,
        "feature": str | None,
        "outcome": str | None,
        "probability": float | None,
    },
}


def columns(params: Mapping[str, Any]) -> Mapping[str, Any]:
    """Those of the view."""
    return COLUMNS_OF[params["view"]]


def check(params: Mapping[str, Any]) -> None:
    """The log exists, the chain is longer than its burn-in, and the model has the state that is shown."""
    checks.check(params)
    if params["view"] == DISTRIBUTIONS and "state" not in params:
        raise InputError(f"view is '{DISTRIBUTIONS}', which shows one state; add the parameter state.")
    if params.get("state", 1) > params["states"]:
        raise InputError(f"state is {params['state']}; the model has the states 1 to {params['states']}.")
