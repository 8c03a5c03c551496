"""Three ways to use noisy counts: clipped, summed before clipping, or with the noise modelled."""

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

ID = "laplace_variants"
STREAM = "warlogs"  # experiments on logs share their streams, and so their fits
READS_LOGS = True
COLUMNS = (
    "log",
    "model",
    "mechanism",
    "variant",
    "epsilon",
    "definition",
    "mean",
    "sem",
    "paired_mean",
    "paired_sem",
)


def check(params: Mapping[str, Any]) -> None:
    """The logs exist, and the chain is longer than its burn-in."""
    from dpsampling.experiments.chapter4 import warlog_checks

    warlog_checks.check(params)


def table(params: Mapping[str, Any], rng: np.random.Generator, logs: Mapping[str, EventCounts]) -> pd.DataFrame:
    """One row a point."""
    from dpsampling.experiments.chapter4 import heldout_sweep

    return heldout_sweep.variants(params, rng, logs)


def figure(table: pd.DataFrame) -> Figure:
    """One panel a log."""
    from dpsampling.experiments.chapter4 import heldout_sweep_figure

    return heldout_sweep_figure.draw(table, ID)


def claims(table: pd.DataFrame) -> list[Claim]:
    """Whether modelling the noise helps."""
    from dpsampling.experiments.chapter4 import heldout_sweep_claims

    return heldout_sweep_claims.judge_variants(table, ID)


def releases(table: pd.DataFrame) -> list[Release]:
    """The noisy counts of every split, which the variants share."""
    from dpsampling.experiments.chapter4 import warlog_releases
    from dpsampling.experiments.contract import parameters_of

    return warlog_releases.of_points(table, ID, parameters_of(table, ID)["splits"])
