"""Test scores of private classifiers, a table for each data set: swept before, or made now."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import pandas as pd

from dpsampling.datasets import recipe, splits
from dpsampling.datasets.design import Design
from dpsampling.errors import InputError
from dpsampling.files import read_table
from dpsampling.files.grids import expanded
from dpsampling.learners.logistic import sweep
from dpsampling.learners.logistic.records import Records
from dpsampling.numerics import randomness
from reproduction.inputs import Given, Raw, Supply, designs, paths
from reproduction.stages import table_schema

COLUMNS = get_type_hints(sweep.Score)
REMEDY = "make it again with 'dpsampling logistic sweep'"


def supply(parameters: Mapping[str, Any], given: Given, *, seed: int, stream: str, raw: Raw) -> Supply:
    """The tables as they were given, or swept now, a data set each."""
    wanted = paths.datasets(parameters)
    if given["sweep"]:
        about = {name: {"title": recipe.load(name).title, "note": designs.EVALUATION} for name in wanted}
        return Supply(_complete([_read(path) for path in given["sweep"]], parameters), about)
    made = designs.supply(parameters, given, seed=seed, stream=stream, raw=raw)
    params, rng = expanded(parameters), randomness.stream(seed, stream)
    return Supply({name: swept(made.inputs[name], params, rng) for name in wanted}, made.about, made.files)


def swept(made: Design, params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One data set's table: split, trained, drawn from and scored."""
    train, test = (
        Records(made.features[rows], made.labels[rows])
        for rows in splits.draw(made, randomness.substream(rng, "split", made.name))
    )
    return pd.DataFrame(sweep.scores(made.name, train, test, params, rng), columns=list(COLUMNS))


def _complete(parts: list[pd.DataFrame], parameters: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """One part for each data set, whole; what is missing is named."""
    params = expanded(parameters)
    found = {str(name): part for table in parts for name, part in table.groupby("dataset", sort=False)}
    points = {(order, epsilon) for order in params["kl_orders"] for epsilon in params["epsilons"]}
    for name in paths.datasets(parameters):
        if name not in found:
            raise InputError(f"no --sweep file is of the data set {name}; give one for every data set.")
        made = found[name][["order", "log_epsilon"]].itertuples(index=False)
        given = {(order, round(level, 6)) for order, level in made}
        if {(float(order), round(math.log(epsilon), 6)) for order, epsilon in points} != given:
            raise InputError(f"the --sweep file of {name} has other orders or ε than are asked for; {REMEDY}.")
    return found


def _read(path: Path) -> pd.DataFrame:
    table = read_table(path, "logistic sweep")
    if list(table.columns) != list(COLUMNS):
        raise InputError(f"{path} is no table of scores; make it with 'dpsampling logistic sweep'.")
    table_schema.check(table, COLUMNS, str(path), REMEDY)
    if table.duplicated(["dataset", "order", "mechanism", "log_epsilon"]).any():
        raise InputError(f"{path} scores a setting twice; {REMEDY}.")
    return table
