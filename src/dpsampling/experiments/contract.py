"""The contract of every experiment, and how its module is found.

An experiment ID is config/experiments/ID.yaml and the module `dpsampling.experiments.ID`, which has

    COLUMNS                                  the table's columns, in order
    table(params, rng) -> DataFrame          the numbers, tidy, one row an observation
    figure(table) -> Figure                  draws what is in the table, and published points if there are any
    claims(table) -> list[Claim]             each claim of the source with its verdict

and, where they make sense,

    check(params)                            raises InputError for what no single parameter can say
    releases(table) -> list[Release]         the ledger: what was drawn, under which guarantee, how often
    READS_LOGS = True                        `table` has a third argument: the counts of the event logs in `params`
    gather(params, parts) -> DataFrame       the table from parts that the workflow computes side by side
    STREAM                                   the name of its random stream, if experiments share one
    MAY_BE_EMPTY                             columns that some rows have no value for

`params` are plain values as in the YAML file, with grids as lists. `rng` names this experiment's stream; draws for a
point come from `randomness.substream(rng, …point…)`. A table carries its parameters as `table.attrs["parameters"]`.

A module's functions import what they need when they are called. The workflow reads those imports: the rule that makes
tables depends on what `table` imports, the rule that draws on what `figure` imports, so that a new colour redraws and
does not recompute.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from dpsampling.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    from matplotlib.figure import Figure

    from dpsampling.claims import Claim
    from dpsampling.warlogs.counts import EventCounts


# Columns that hold words, in any table; all others hold numbers.
TEXT_COLUMNS = frozenset(
    {"variant", "mechanism", "quantity", "property", "method", "setting", "condition", "premise", "conclusion", "curve"}
    | {"log", "model", "definition", "region", "month", "feature", "outcome", "kind", "estimate", "case"}
)


class ExperimentModule(Protocol):
    """What `load` returns."""

    COLUMNS: tuple[str, ...]
    table: Callable[..., pd.DataFrame]
    figure: Callable[[pd.DataFrame], Figure]
    claims: Callable[[pd.DataFrame], list[Claim]]


def load(experiment: str) -> ExperimentModule:
    """The module of an experiment."""
    return importlib.import_module(f"dpsampling.experiments.{experiment}")


def check_fit(experiment: str, parameters: Mapping[str, Any]) -> None:
    """The experiment's own check of its parameters, if it has one."""
    check = getattr(load(experiment), "check", None)
    if check is not None:
        check(parameters)


def make_table(
    experiment: str, parameters: Mapping[str, Any], seed: int, logs: Mapping[str, EventCounts] | None = None
) -> pd.DataFrame:
    """The experiment's table, with its parameters and what is to be known of the logs that it was made from."""
    from dpsampling.grids import expanded
    from dpsampling.randomness import stream

    module = load(experiment)
    rng = stream(seed, stream_of(experiment))
    arguments = (expanded(parameters), rng, logs) if reads_logs(experiment) else (expanded(parameters), rng)
    table = module.table(*arguments)
    table.attrs["parameters"] = parameters
    return table


def reads_logs(experiment: str) -> bool:
    """Whether its table is made from event logs."""
    return bool(getattr(load(experiment), "READS_LOGS", False))


def stream_of(experiment: str) -> str:
    """The name of its random stream."""
    return str(getattr(load(experiment), "STREAM", experiment))


def check_values(table: pd.DataFrame, path: Path, may_be_empty: Sequence[str] = ()) -> None:
    """Numbers where numbers belong, and no empty cells but where they are meant."""
    from pandas.api.types import is_numeric_dtype

    for column in table.columns:
        if column not in may_be_empty and table[column].isna().any():
            raise InputError(f"{path} has empty cells in the column {column}; make it again with 'dpsampling table'.")
        if column not in TEXT_COLUMNS and not is_numeric_dtype(table[column]):
            raise InputError(f"{path} has words in the column {column}; make it again with 'dpsampling table'.")


def parameters_of(table: pd.DataFrame, experiment: str) -> dict[str, Any]:
    """The parameters a table was made with; a bare table is taken to have the experiment's own."""
    from dpsampling import config, project
    from dpsampling.grids import expanded

    given = table.attrs.get("parameters")
    return expanded(config.resolve(project.experiment(experiment), {}) if given is None else given)
