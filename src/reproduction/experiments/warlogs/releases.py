"""What the fits of event logs release."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from dpsampling.event_logs import schema
from dpsampling.event_logs.mechanisms import Mechanism, NoisyCounts, OnePosteriorSample, neighbours
from dpsampling.event_logs.names import NAIVE_BAYES
from dpsampling.privacy.ledger import Release


def chains_of(count: str, *, whole: bool = False) -> Callable[[pd.DataFrame, Mapping[str, Any]], list[Release]]:
    """Return an experiment's `releases`: a row a point of its table, fitted as often as the parameter `count` says.

    `whole`: the table shows more of an OPS chain than its last sample.
    """
    return lambda table, params: of_points(table, params, params[count], whole=whole)


def of_points(table: pd.DataFrame, params: Mapping[str, Any], count: int, *, whole: bool = False) -> list[Release]:
    """One row a point of a table with the columns log, mechanism, variant and epsilon; `count` fits of each."""
    named = [c for c in ("log", "model", "mechanism", "variant", "epsilon") if c in table]
    released = []
    noisy = set()
    for point in table[named].drop_duplicates().to_dict("records"):
        epsilon = float(point["epsilon"])
        if not math.isfinite(epsilon):
            continue
        mechanism: Mechanism
        if point["mechanism"] == OnePosteriorSample.name:
            mechanism = OnePosteriorSample(epsilon, float(str(point["variant"]).removeprefix("M=")))
        else:
            mechanism = NoisyCounts(epsilon)
            shared = (point["log"], point.get("model"), epsilon)
            if shared in noisy:  # variants read the same noisy counts, which are released once
                continue
            noisy.add(shared)
        updates = 1 if point.get("model") == NAIVE_BAYES else 2 * params["iterations"]
        released.append(of_fits(str(point["log"]), mechanism, updates, count, whole=whole))
    return released


def of_fits(log: str, mechanism: Mechanism, updates: int, count: int, *, whole: bool) -> Release:
    """`count` fits of a log by one mechanism, at what is certain: OPS pays for each of a chain's updates.

    That it would cost one sample's ε if the chain had converged is among the conditions, unless the `whole` chain is
    shown, which costs all of them in any case.
    """
    described = schema.load(log)
    mechanism = replace(mechanism, unit=described.unit)
    guarantee = mechanism.guarantee(tuple(len(feature.outcomes) for feature in described.features), updates)
    assert guarantee is not None
    if whole:
        guarantee = replace(guarantee, conditions=(neighbours(described.unit),))
    return Release(described.title, f"{mechanism.name} ({mechanism.variant})", guarantee, count)
