"""The appendix's conditionals as printed and as corrected, against enumeration: UAI 2016 supplement E."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError

COLUMNS = {"quantity": str, "method": str, "at": float, "value": float}
STATES, TRUNCATED, LOSS = "states", "truncated Dirichlet", "loss of a truncated Dirichlet"  # quantities
JOINT, BAYES = "total of the joint probability", "likelihood of naive Bayes"
PRINTED, CORRECTED = "as printed", "as corrected"  # methods


def check(params: Mapping[str, Any]) -> None:
    """Few enough paths to enumerate, three shapes, and floors that leave room."""
    if params["states"] ** params["steps"] > 1024:
        raise InputError(
            f"steps is {params['steps']}; {params['states']} states and so many steps have too many paths."
        )
    if len(params["shapes"]) != 3:
        raise InputError(f"shapes has {len(params['shapes'])} numbers; this example has three coordinates.")
    if max(params["truncations"]) * 3 >= 1:
        raise InputError(f"truncations has {max(params['truncations'])}; three coordinates need floors below 1/3.")
