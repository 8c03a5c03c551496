"""Which files an experiment's parameters name, without reading them: what the workflow asks for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dpsampling.documents import Document, check_against, named, read_yaml, root, schema_named
from dpsampling.errors import InputError, did_you_mean

DATASETS = "datasets"


REQUIRED = {  # of the parameters of an experiment, by what it needs
    "": (),
    "counts": ("rows",),
    "scores": ("rows", "logs", "splits", "share", "states", "alpha", "beta", "iterations", "burn_in", "epsilons"),
    "dataset": ("dataset",),
}


def check(needs: str, parameters: Mapping[str, Any]) -> None:
    """That an experiment's parameters say which inputs it is about, and that a data set is one there is."""
    for name in REQUIRED[needs]:
        parameters[name]
    if needs in {"counts", "scores"} and "log" not in parameters:
        parameters["logs"]
    if needs == "dataset":
        dataset_told(parameters["dataset"])


def logs(parameters: Mapping[str, Any]) -> list[str]:
    """The event logs."""
    return [parameters["log"]] if "log" in parameters else list(parameters["logs"])


def dataset_description(name: str) -> Path:
    """The file that describes a data set, or an InputError that names near ones."""
    if name not in named(DATASETS):
        raise InputError(f"there is no data set '{name}' in config/{DATASETS}{did_you_mean(name, named(DATASETS))}.")
    return root() / "config" / DATASETS / f"{name}.yaml"


def dataset_told(name: str) -> Document:
    """What that file says, checked."""
    document = read_yaml(dataset_description(name))
    check_against(document, schema_named("dataset"), f"data set {name}")
    return document


def dataset_file(name: str) -> Path:
    """Where a data set's rows are to be."""
    return root() / str(dataset_told(name)["file"])
