"""What the parameters of this room must satisfy together."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError, did_you_mean
from reproduction.experiments.checks import beta_prior

BETA = "beta-bernoulli"


PANELS = ("fig1a", "fig1b", "fig2a", "fig2b", "fig2c", "fig2d")  # of the digitised figures


def levels(params: Mapping[str, Any]) -> None:
    """A Beta prior has two parameters, and the panel is one that was digitised."""
    beta_prior(params)
    _panel(params)


def conjugate_data(params: Mapping[str, Any]) -> None:
    """The same; of another name there must be a family, which checks its prior itself.

    The families are looked up by a name in words: claims and figures, which import this module, rest on none of them.
    """
    if params["family"] == BETA:
        beta_prior(params)
    else:
        importlib.import_module("reproduction.experiments.renyi.setting").setting_of(params)
    _panel(params)


def _panel(params: Mapping[str, Any]) -> None:
    name = params.get("panel", PANELS[0])
    if name not in PANELS:
        raise InputError(f"panel is '{name}'{did_you_mean(name, PANELS)}; digitised are {', '.join(PANELS)}.")
