"""Which files an experiment's parameters name, without reading them: what the workflow asks for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dpsampling.datasets import descriptions, recipe

SWEEP_PARAMETERS = ("kl_orders", "epsilons", "repeats", "regularity")  # what decides a sweep of private classifiers
REQUIRED = {  # of the parameters of an experiment, by what it needs
    "": (),
    "counts": ("rows",),
    "scores": ("rows", "logs", "splits", "share", "states", "alpha", "beta", "iterations", "burn_in", "epsilons"),
    "dataset": ("dataset",),
    "designs": (),
    "sweeps": ("datasets", *SWEEP_PARAMETERS),
}


def check(needs: str, parameters: Mapping[str, Any]) -> None:
    """That an experiment's parameters say which inputs it is about, and that data sets are what it takes them for."""
    for name in REQUIRED[needs]:
        parameters[name]
    if needs in {"counts", "scores"} and "log" not in parameters:
        parameters["logs"]
    if needs == "dataset":
        descriptions.description(parameters["dataset"])
    if needs in {"designs", "sweeps"}:
        for name in datasets(parameters):
            recipe.load(name)


def logs(parameters: Mapping[str, Any]) -> list[str]:
    """The event logs."""
    return [parameters["log"]] if "log" in parameters else list(parameters["logs"])


def datasets(parameters: Mapping[str, Any]) -> list[str]:
    """The data sets."""
    return [parameters["dataset"]] if "dataset" in parameters else list(parameters.get("datasets", ()))


def dataset_files(name: str) -> list[Path]:
    """Where a data set's rows are to be."""
    return descriptions.places(descriptions.description(name))
