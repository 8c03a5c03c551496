"""Held-out scores of private fits, a table for each log and ε: evaluated before, or made now."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.errors import InputError
from dpsampling.event_logs import splits, sweep
from dpsampling.event_logs.counts import EventCounts
from dpsampling.files import read_table
from dpsampling.files.grids import expanded
from dpsampling.numerics import randomness
from reproduction.inputs import Given, Raw, Supply, counts
from reproduction.stages import table_schema

SCORES = dict(zip(sweep.SCORE_COLUMNS, (str, str, str, str, float, int, str, int, float), strict=True))
REMEDY = "make it again with 'dpsampling warlogs fit'"


def supply(parameters: Mapping[str, Any], given: Given, *, seed: int, stream: str, raw: Raw) -> Supply:
    """The tables as they were given, or those of every log and ε, the non-private one of each log first."""
    found, told, read = counts.supply(parameters, given, seed=seed, stream=stream, raw=raw)
    if given["scores"]:
        return Supply(_complete([_read(path) for path in given["scores"]], parameters), told, read)
    return Supply(evaluated(parameters, found, randomness.stream(seed, stream)), told, read)


def evaluated(
    parameters: Mapping[str, Any], logs: Mapping[str, EventCounts], rng: np.random.Generator
) -> list[pd.DataFrame]:
    """Splits drawn, models fitted and scored, a table for each log and ε."""
    params = expanded(parameters)
    parts = []
    for log in logs.values():
        trained = splits.draw(log, params["splits"], params["share"], rng)
        levels = (math.inf, *params["epsilons"])
        parts += [sweep.evaluate(sweep.fits(log, trained, epsilon, params, rng)) for epsilon in levels]
    return parts


def _complete(parts: list[pd.DataFrame], parameters: Mapping[str, Any]) -> list[pd.DataFrame]:
    """One part for each log and ε, non-private included; what is missing is named."""
    params = expanded(parameters)
    given = {
        (str(log), float(epsilon)) for part in parts for log, epsilon in zip(part["log"], part["epsilon"], strict=True)
    }
    for log in params["logs"]:
        for epsilon in (math.inf, *map(float, params["epsilons"])):
            if (log, epsilon) not in given:
                raise InputError(f"no --scores file has log {log} at ε = {epsilon:g}; give one for every log and ε.")
    splits_given = {len(set(group["split"])) for part in parts for _, group in part.groupby(["log", "epsilon"])}
    if splits_given != {params["splits"]}:
        raise InputError(f"the --scores files do not all have the {params['splits']} splits that are asked for.")
    return parts


def _read(path: Path) -> pd.DataFrame:
    table = read_table(path, "warlogs fit")
    if list(table.columns) != list(sweep.SCORE_COLUMNS):
        raise InputError(f"{path} is no table of scores; make it with 'dpsampling warlogs fit'.")
    table_schema.check(table, SCORES, str(path), REMEDY)
    if table.duplicated(list(SCORES)[:-2]).any():
        raise InputError(f"{path} scores a chain twice; {REMEDY}.")
    if not table["score"].abs().lt(math.inf).all():
        raise InputError(f"{path} has a score that is not finite; {REMEDY}.")
    return table
