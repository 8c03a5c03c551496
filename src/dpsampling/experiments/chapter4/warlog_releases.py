"""What the fits of event logs release."""

from __future__ import annotations

import math

import pandas as pd

from dpsampling.experiments.chapter4.warlog_fits import mechanism_of
from dpsampling.experiments.contract import parameters_of
from dpsampling.privacy.ledger import Release
from dpsampling.warlogs import schema
from dpsampling.warlogs.mechanisms import Mechanism, NoisyCounts, OnePosteriorSample


def of_picture(table: pd.DataFrame, experiment: str) -> list[Release]:
    """One fit of one log. A picture of OPS also shows what was not released: it is booked at the chain's own price."""
    params = parameters_of(table, experiment)
    mechanism = mechanism_of(params)
    return [
        _release(params["log"], mechanism, params["iterations"], 1, whole=isinstance(mechanism, OnePosteriorSample))
    ]


def of_points(table: pd.DataFrame, experiment: str, count: int, *, whole: bool = False) -> list[Release]:
    """One row a point of a table with the columns log, mechanism, variant and epsilon; `count` fits of each.

    `whole`: the table shows more of an OPS chain than its last sample.
    """
    params = parameters_of(table, experiment)
    named = [c for c in ("log", "model", "mechanism", "variant", "epsilon") if c in table]
    released = []
    noisy = set()
    for point in table[named].drop_duplicates().itertuples(index=False):
        if not math.isfinite(point.epsilon):  # type: ignore[arg-type]
            continue
        mechanism: Mechanism
        if point.mechanism == OnePosteriorSample.name:
            mechanism = OnePosteriorSample(float(point.epsilon), float(str(point.variant).removeprefix("M=")))  # type: ignore[arg-type]
        else:
            mechanism = NoisyCounts(float(point.epsilon))  # type: ignore[arg-type]
            shared = (point.log, getattr(point, "model", ""), point.epsilon)
            if shared in noisy:  # variants read the same noisy counts, which are released once
                continue
            noisy.add(shared)
        released.append(_release(str(point.log), mechanism, params["iterations"], count, whole=whole))
    return released


def _release(log: str, mechanism: Mechanism, iterations: int, count: int, *, whole: bool) -> Release:
    told = schema.load(log)
    sizes = tuple(len(feature.outcomes) for feature in told.features)
    guarantee = mechanism.guarantee(sizes, iterations)
    if whole and isinstance(mechanism, OnePosteriorSample):
        guarantee = mechanism.unconverged(sizes, iterations)
    assert guarantee is not None
    return Release(told.title, f"{mechanism.name} ({mechanism.variant})", guarantee, count)
