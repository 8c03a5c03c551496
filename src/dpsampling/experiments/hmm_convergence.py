"""Whether chains of 200 iterations converge (thesis section 4.5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.figure import Figure

    from dpsampling.claims import Claim
    from dpsampling.privacy.ledger import Release
    from dpsampling.warlogs.counts import EventCounts

ID = "hmm_convergence"
STREAM = "warlogs"  # experiments on logs share their streams, and so their fits
READS_LOGS = True
COLUMNS = ("log", "mechanism", "variant", "epsilon", "quantity", "value")


def check(params: Mapping[str, Any]) -> None:
    """The logs exist, and the chain is longer than its burn-in."""
    from dpsampling.experiments.chapter4 import warlog_checks

    warlog_checks.check(params)


def table(params: Mapping[str, Any], rng: np.random.Generator, logs: Mapping[str, EventCounts]) -> pd.DataFrame:
    """One row a point and diagnostic."""
    from dpsampling.experiments.chapter4 import convergence

    return convergence.table(params, rng, logs)


def figure(table: pd.DataFrame) -> Figure:
    """R-hat and agreement against ε."""
    from dpsampling.experiments.chapter4 import convergence_figure

    return convergence_figure.draw(table, ID)


def claims(table: pd.DataFrame) -> list[Claim]:
    """What the promise of OPS rests on."""
    from dpsampling.experiments.chapter4 import convergence_claims

    return convergence_claims.judge(table, ID)


def releases(table: pd.DataFrame) -> list[Release]:
    """Every private chain."""
    from dpsampling.experiments.chapter4 import warlog_releases
    from dpsampling.experiments.contract import parameters_of

    return warlog_releases.of_points(table, ID, parameters_of(table, ID)["chains"], whole=True)
