"""The configuration: read, laid over, checked, and resolved to the parameters of each experiment.

A run checks everything here before any job starts; a command checks the experiment that it is about. An error names the
key, what it is and what it may be, and all of a file's errors are told at once. Three shapes of file are understood
where a configuration is asked for: an overlay of config/config.yaml, an experiment file like those of
config/experiments/, or a plain mapping of one experiment's parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dpsampling.cli.configuration import Config, audit_of, check_logs, checked, read
from dpsampling.cli.parsing import check_seed
from dpsampling.errors import Complaints, InputError, did_you_mean
from dpsampling.files.documents import Document, published, read_yaml
from dpsampling.files.grids import Parameters
from reproduction.inputs import paths
from reproduction.parameters import check_names, check_parameters, merge_parameters
from reproduction.project import (
    Experiment,
    check_experiment,
    elsewhere,
    experiment,
    experiments,
    laid_over_its_base,
    parts,
)
from reproduction.stages import experiment_contract

SCALES = ("paper", "quick")


# -- whole configurations -------------------------------------------------------------------------------------------


def load(overlay: Path | None = None) -> Document:
    """config/config.yaml with an overlay laid over it, checked with every experiment that it names or runs."""
    return check_config(read(overlay))


def check_config(document: Mapping[str, object]) -> Document:
    """The configuration with its numbers as numbers, or an InputError; experiments' parameters are checked too."""
    whole, complaints = checked(document), Complaints()
    with complaints.collected():
        check_logs(whole["logs"])
    for name in dict.fromkeys([*whole["experiments"], *selected(whole)]):
        for scale in SCALES:
            with complaints.collected():
                resolve(experiment(name), whole["experiments"].get(name, {}), scale=scale)
        with complaints.collected():
            _check_published(experiment(name))
    complaints.complain()
    return whole


def _check_published(e: Experiment) -> None:
    missing = [name for name in e.published if not published(name).is_file()]
    if missing:
        raise InputError(f"{e.id}.yaml: published names '{missing[0]}', which is no file of data/published.")


def selected(document: Mapping[str, object]) -> list[str]:
    """The experiments that `run` asks for."""
    known = experiments()
    run = document["run"]
    if run == "all" or not isinstance(run, list):
        return list(known)
    inhabited = [part for part in parts() if any(e.part == part for e in known.values())]
    chosen, complaints = set[str](), Complaints()
    for name in run:
        if name in inhabited:
            chosen.update(e.id for e in known.values() if e.part == name)
        elif name in known:
            chosen.add(name)
        else:
            hint = elsewhere(name) or did_you_mean(name, [*known, *inhabited])
            complaints.append(f"run names '{name}', which is no experiment and no part with experiments{hint}.")
    complaints.complain()
    return [name for name in known if name in chosen]


def effective(document: Mapping[str, object], scale: str) -> Document:
    """All that decides the results at one scale: the seed and every selected experiment's parameters."""
    changes = document["experiments"]
    assert isinstance(changes, Mapping)
    return {
        "seed": document["seed"],
        "scale": scale,
        "audit": audit_of(document, scale),
        "experiments": {
            name: resolve(experiment(name), changes.get(name, {}), scale=scale) for name in selected(document)
        },
    }


# -- the parameters of one experiment -------------------------------------------------------------------------------


def resolve(experiment: Experiment, changes: Mapping[str, object], *, scale: str = "paper") -> Document:
    """The experiment's own parameters, its quick ones if asked, then `changes`; checked, grids still as written."""
    parameters = merge_parameters(experiment.parameters, experiment.quick if scale == "quick" else {})
    check_names(changes, parameters, experiment.id)
    resolved = check_parameters(merge_parameters(parameters, changes), experiment.id)
    try:
        experiment_contract.check(experiment.code, Parameters(resolved))
        paths.check(experiment.needs, Parameters(resolved))
    except InputError as error:
        raise InputError(f"{experiment.id}: {error}") from error
    return resolved


def read_changes(path: Path, experiment: Experiment) -> tuple[Document, int | None]:
    """What a file of any of the three shapes says of one experiment: its parameters and, if it has one, a seed."""
    document = read_yaml(path)
    if is_overlay(document):
        full = load(path)
        changes = full["experiments"].get(experiment.id, {})
        if full["scale"] == "quick":
            changes = merge_parameters(experiment.quick, changes)
        return changes, full["seed"]
    if "title" in document or "parameters" in document:
        return check_experiment(laid_over_its_base(document, path.name), path.name)["parameters"], None
    seed = document.pop("seed", None)
    return document, None if seed is None else check_seed(seed)


def is_overlay(document: Mapping[str, object]) -> bool:
    """Whether a document is one that is laid over config/config.yaml."""
    return bool(document) and set(document) <= set(Config.model_fields)
