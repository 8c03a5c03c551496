"""What state 1 of the Iraq log emits: thesis Figure 4.4."""

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

ID = "fig4_4"
STREAM = "warlogs"  # experiments on logs share their streams, and so their fits
READS_LOGS = True
COLUMNS = ("state", "feature", "outcome", "probability")


def check(params: Mapping[str, Any]) -> None:
    """The logs exist, and the chain is longer than its burn-in."""
    from dpsampling.experiments.chapter4 import warlog_checks

    warlog_checks.check(params)


def table(params: Mapping[str, Any], rng: np.random.Generator, logs: Mapping[str, EventCounts]) -> pd.DataFrame:
    """One row an outcome."""
    from dpsampling.experiments.chapter4 import warlog_fits

    return warlog_fits.one_state(params, rng, logs, 1)


def figure(table: pd.DataFrame) -> Figure:
    """One panel a feature, indicators together."""
    from dpsampling.experiments.chapter4 import warlog_fits_figure

    return warlog_fits_figure.draw_state(table, ID)


def claims(table: pd.DataFrame) -> list[Claim]:
    """The most frequent outcomes."""
    from dpsampling.experiments.chapter4 import warlog_fits_claims

    return warlog_fits_claims.judge_state(table, ID, calm=True)


def releases(table: pd.DataFrame) -> list[Release]:
    """One fit of one log."""
    from dpsampling.experiments.chapter4 import warlog_releases

    return warlog_releases.of_picture(table, ID)
