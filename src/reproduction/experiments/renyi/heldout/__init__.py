"""How well a private draw predicts held-out data, against ε: thesis Figures 5.5 to 5.8."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError
from reproduction.experiments.renyi.checks import conjugate_data

UNIFORM = "uniform prior"
UNDISTORTED = "direct"  # the posterior knows no ε: one set of draws serves all
# What is told of the scores' spread over the runs: column and probability.
QUANTILES = {"q05": 0.05, "q25": 0.25, "median": 0.5, "q75": 0.75, "q95": 0.95}
PASSAGES = {"efficiency": "5.4.1", "populations": "5.6", UNIFORM: "5.6"}  # sections of the thesis


def columns(params: Mapping[str, Any]) -> dict[str, Any]:
    """With a column for the population where there are several, and one for the horizon where the text names it."""
    several = {"rho": float} if isinstance(params["rho"], list) else {}
    keys = {"mechanism": str, "epsilon": float, "runs": int}
    # Without runs there is the expectation alone.
    of_runs = dict.fromkeys(("mean", "sd", *QUANTILES), float | None)
    horizon = {"horizon": float} if params["passage"] == UNIFORM else {}
    return several | keys | of_runs | {"scale": float | None, "exact": float | None} | horizon


def check(params: Mapping[str, Any]) -> None:
    """A prior of the family, and one population unless the passage compares several."""
    conjugate_data(params)
    rho = params["rho"]
    if isinstance(rho, list) and params["passage"] != "populations":
        raise InputError(
            f"rho is {rho}; this figure shows one population, so give one number (with passage: populations it may "
            "be several)."
        )


def populations(params: Mapping[str, Any]) -> list[float]:
    """ρ as a list."""
    rho = params["rho"]
    return [float(r) for r in rho] if isinstance(rho, list) else [float(rho)]
