"""The code of an experiment: a folder or one plain module of `reproduction.experiments`, named by `code:` in its YAML.

    __init__     COLUMNS = {name: type}, in order; `str | None` is a column with cells that may be empty
                 check(params)                     raises InputError for what no single parameter can say
    table        table(params, rng[, inputs])      the numbers, tidy, one row an observation
    figure       figure(table, params)             draws what is in the table, and published points if there are any
    claims       claims(table, params)             each claim of the source, its verdict read off the table
                 EVIDENCE                          what they rest on, but for those that say so themselves
                 EXCUSED = {claim: why}            those that no change of one column of the table can flip
    releases     releases(table, params)           the ledger: what was drawn, under which guarantee, how often

Where the parameters decide the columns, `columns(params)` stands for COLUMNS. `check` and `releases` are for those that
need them. A folder's `__init__` imports nothing heavy, for every run reads it; in a plain module all of this stands
together, and every stage depends on all of it.

`params` are plain values as in the YAML file, with grids as lists. `rng` names the experiment's stream; draws for a
point come from `randomness.substream(rng, …point…)`. `inputs` is what the experiment `needs`. What two variants of an
experiment differ in is a parameter, never an id.

What a table has to say besides its numbers goes into `table.attrs`, and from there through the provenance to the later
stages, beside what is to be known of its `inputs`. Colours and labels are the figure's own, by the names in the table.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from functools import cache
from importlib import util
from types import ModuleType
from typing import Any, TypeVar

import reproduction.experiments
from dpsampling.errors import InputError, did_you_mean

ROOM = reproduction.experiments.__name__
T = TypeVar("T")


def columns(code: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of the table with their types."""
    module = importlib.import_module(module_name(code))
    if not hasattr(module, "columns") and not hasattr(module, "COLUMNS"):
        raise InputError(f"code is '{code}', which has no COLUMNS; name one of {', '.join(codes())}, or add them.")
    return dict(module.columns(params) if hasattr(module, "columns") else module.COLUMNS)


def check(code: str, params: Mapping[str, Any]) -> None:
    """That the code is an experiment's, and its own check of the parameters, if it has one."""
    found = getattr(importlib.import_module(module_name(code)), "check", None)
    if found is not None:
        found(params)
    columns(code, params)


def function(code: str, stage: str) -> Callable[..., Any]:
    """`table`, `figure` or `claims` of an experiment's code, or an InputError."""
    found = optional(code, stage)
    if found is None:
        raise InputError(
            f"code is '{code}', which has no function `{stage}`; add it (see reproduction.stages.experiment_contract)."
        )
    return found


def optional(code: str, stage: str) -> Callable[..., Any] | None:
    """The same where there may be none, as `releases`."""
    name = module_of(code, stage)
    found: Callable[..., Any] | None = getattr(importlib.import_module(name), stage, None) if name else None
    return found


def constant(code: str, stage: str, name: str, default: T) -> T:
    """What the module of a stage says beside its function, or the default."""
    module = module_of(code, stage)
    found: T = getattr(importlib.import_module(module), name, default) if module else default
    return found


@cache
def module_of(code: str, stage: str) -> str | None:
    """The module that holds a stage's function, by its name."""
    if not is_folder(code):
        return module_name(code)
    name = f"{module_name(code)}.{stage}"
    return name if util.find_spec(name) else None


@cache
def module_name(code: str) -> str:
    """The module that the code's name stands for, or an InputError that names near ones."""
    name = f"{ROOM}.{code}"
    try:
        found = util.find_spec(name)
    except ModuleNotFoundError:
        found = None
    if found is None:
        raise InputError(f"code is '{code}', which is no folder and no module of {ROOM}{did_you_mean(code, codes())}.")
    return name


def is_folder(code: str) -> bool:
    """Whether the code is a folder with a module a stage."""
    found = util.find_spec(module_name(code))
    return found is not None and found.submodule_search_locations is not None


def codes() -> list[str]:
    """All names that `code:` may have: those with a figure and claims."""
    return [name.removeprefix(f"{ROOM}.") for name in _below(reproduction.experiments)]


def _below(package: ModuleType) -> list[str]:
    inside = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    return [told.name for told in inside if told.ispkg and util.find_spec(f"{told.name}.table")]
