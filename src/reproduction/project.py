"""What experiments the project has: the files of config/experiments, each read only when it is asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from dpsampling.errors import Complaints, InputError, did_you_mean
from dpsampling.files import checking
from dpsampling.files.checking import Form, key
from dpsampling.files.documents import Document, named, read_yaml, root
from dpsampling.files.grids import show
from reproduction.catalogue import PARAMETERS
from reproduction.parameters import check_names, check_parameters, merge_parameters

FOLDER = "experiments"
NO_EXPERIMENTS = ("config.yaml", "parts.yaml")  # of config/
MERGED = ("parameters", "quick", "smallest")
_ID = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
JOBS = ("tables_", "figures_")  # what the rules are called that make experiments
# The other targets and the other rules of the workflow (a test compares).
TARGETS = frozenset({
    "all", "report", "perturbed", "part", "counts", "fit", "design", "sweep", "perturb", "audit", "collect",
})  # fmt: skip


class ExperimentFile(Form):
    """One file of config/experiments."""

    title: str = key("what the experiment shows, in one line")
    source: str = key("where it stands in the source; the claims about the figure itself bear it")
    like: str = key("an experiment that this one is a variant of; what is not said here is said there", None)
    part: str = key("the part of the project that it belongs to, one of config/parts.yaml", None)
    code: str = key("a folder or a module of src/reproduction/experiments, such as renyi.tradeoff", None)
    needs: Literal["counts", "scores", "dataset", "designs", "sweeps"] = key(
        "what its table is made from besides its parameters", None
    )
    stream: str = key("the name of its random stream, if it shares one; its own id otherwise", None)
    published: list[str] = key("files of data/published that its figure and its claims read", None)
    parameters: dict[str, Any] = key("its parameters at paper scale", None)
    quick: dict[str, Any] = key("the parameters that are smaller at quick scale", None)
    smallest: dict[str, Any] = key("the parameters of a run of about a second, for tests", None)


@dataclass(frozen=True)
class Experiment:
    """What config/experiments/ID.yaml says, with what it is like laid under it."""

    id: str
    title: str
    source: str
    part: str
    code: str
    parameters: Document
    quick: Document = field(default_factory=dict)
    smallest: Document = field(default_factory=dict)
    published: tuple[str, ...] = ()
    needs: str = ""
    stream: str = ""
    like: str = ""

    @property
    def stream_name(self) -> str:
        """The name of its random stream."""
        return self.stream or self.id


@cache
def parts() -> dict[str, str]:
    """The parts of the project in their order, with their titles."""
    path = root() / "config" / "parts.yaml"
    told = read_yaml(path)
    for name, title in told.items():
        if not isinstance(title, str):
            raise InputError(f"{path.name}: {name} is {title}; a part has a title.")
    return {str(name): title for name, title in told.items()}


@cache
def names() -> list[str]:
    """The ids of all experiments; each is also the name of files, and of a target beside others."""
    found = named(FOLDER)
    for name in found:
        if not _ID.fullmatch(name) or name in TARGETS or name in parts() or name.startswith(JOBS):
            raise InputError(
                f"config/{FOLDER}/{name}.yaml cannot be called so; an id is letters, digits and underscores, begins "
                "with a letter, and is neither a part nor a rule of the workflow."
            )
    return found


@cache
def experiments() -> dict[str, Experiment]:
    """Every experiment, by part and then by name (fig5_2 before fig5_10)."""
    order = list(parts())
    found, complaints = [], Complaints()
    for name in names():
        with complaints.collected():
            found.append(experiment(name))
    complaints.complain()
    return {e.id: e for e in sorted(found, key=lambda e: (order.index(e.part), _natural(e.id)))}


@cache
def experiment(name: str) -> Experiment:
    """One experiment, or an InputError that names near ones; no other experiment's file is read."""
    if name not in names():
        hint = elsewhere(name) or f"{did_you_mean(name, names())}; 'dpsampling list' shows them all"
        raise InputError(f"there is no experiment '{name}'{hint}.")
    document = check_experiment(laid_over_its_base(_written(name), f"{name}.yaml", (name,)), f"{name}.yaml")
    document["published"] = tuple(document.get("published", ()))
    return Experiment(id=name, **document)


def elsewhere(name: str) -> str:
    """A hint at a file of this name that has not the place, or not the ending, of an experiment's."""
    for folder in (f"config/{FOLDER}", "config"):
        for path in (root() / folder).glob("*.[yY]*[mM][lL]"):
            if path.stem == name and path.name not in NO_EXPERIMENTS:
                return f", but {folder}/{path.name} is there; it must be config/{FOLDER}/{name}.yaml"
    return ""


def path_of(name: str) -> Path:
    """The file of an experiment."""
    return root() / "config" / FOLDER / f"{name}.yaml"


@cache
def _written(name: str) -> Document:
    """Return what the file of an experiment says, as it is written."""
    return read_yaml(path_of(name))


def check_experiment(document: Document, where: str) -> Document:
    """Return an experiment's document, with what it is like laid under it, or raise an InputError about all of it."""
    checked, complaints = dict(document), Complaints()
    for name in ("part", "code", "parameters"):
        if name not in document:
            complaints.append(f"{where}: '{name}' is missing; add it, or name an experiment to be `like`.")
    part = document.get("part")
    if part is not None and part not in parts():
        hint = did_you_mean(part, parts())
        complaints.append(f"{where}: part is '{part}', which is not in config/parts.yaml{hint}.")
    for kind in MERGED:
        with complaints.collected():
            if kind in document:
                checked[kind] = check_parameters(document[kind], where)
        for name in document.get(kind, ()) if "parameters" in document else ():
            if name not in document["parameters"]:
                complaints.append(f"{where}: {kind} sets '{name}', which is not among its parameters.")
    complaints.complain()
    return checked


def laid_over_its_base(own: Document, where: str, above: tuple[str, ...] = ()) -> Document:
    """An experiment's document over that of the one it is `like`, and so on; `above` are those that led here."""
    _check_keys(own, where)
    base_name = own.get("like")
    if base_name is None:
        return own
    if base_name not in names():
        hint = elsewhere(base_name) or did_you_mean(base_name, names())
        raise InputError(f"{where}: like is '{base_name}', which is no experiment{hint}.")
    if base_name in above:
        raise InputError(f"{where}: like is '{base_name}', which is like {above[0]} itself; break the circle.")
    base = laid_over_its_base(_written(base_name), f"{base_name}.yaml", (*above, base_name))
    mine, theirs = own.get("parameters", {}), base.get("parameters", {})
    check_names(mine, theirs, f"{where}: {base_name}")
    merged: Document = {**base, **own}
    merged["parameters"] = merge_parameters(theirs, mine)
    for name in MERGED[1:]:  # what the variant changes is not changed back by the smaller scales of the original
        kept = {k: v for k, v in base.get(name, {}).items() if k not in mine}
        merged[name] = merge_parameters(kept, own.get(name, {}))
    return merged


def _check_keys(own: Document, where: str) -> None:
    """Raise an InputError unless these are keys of an experiment's file, and their values of the right types."""
    misplaced = {key: value for key, value in own.items() if key in PARAMETERS}
    if misplaced:
        meant = ", ".join(f"{key}: {show(value)}" for key, value in misplaced.items())
        raise InputError(
            f"{where}: unknown key '{next(iter(misplaced))}' (did you mean parameters: {{{meant}}}?); known are "
            f"{', '.join(ExperimentFile.model_fields)}."
        )
    checking.document(own, ExperimentFile, where)


def _natural(name: str) -> list[Any]:
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]
