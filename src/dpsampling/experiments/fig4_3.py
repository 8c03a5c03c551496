"""States of the Iraq log under the Laplace mechanism: thesis Figure 4.3."""

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

ID = "fig4_3"
STREAM = "warlogs"  # experiments on logs share their streams, and so their fits
READS_LOGS = True
COLUMNS = ("region", "month", "state", "frequency")


def check(params: Mapping[str, Any]) -> None:
    """The logs exist, and the chain is longer than its burn-in."""
    from dpsampling.experiments.chapter4 import warlog_checks

    warlog_checks.check(params)


def table(params: Mapping[str, Any], rng: np.random.Generator, logs: Mapping[str, EventCounts]) -> pd.DataFrame:
    """One row a cell."""
    from dpsampling.experiments.chapter4 import warlog_fits

    return warlog_fits.frequent_states(params, rng, logs)


def figure(table: pd.DataFrame) -> Figure:
    """Regions by months."""
    from dpsampling.experiments.chapter4 import warlog_fits_figure

    return warlog_fits_figure.draw_assignments(table, ID)


def claims(table: pd.DataFrame) -> list[Claim]:
    """When the states change."""
    from dpsampling.experiments.chapter4 import warlog_fits_claims

    return warlog_fits_claims.judge_change(table, ID)


def releases(table: pd.DataFrame) -> list[Release]:
    """One fit of one log."""
    from dpsampling.experiments.chapter4 import warlog_releases

    return warlog_releases.of_picture(table, ID)
