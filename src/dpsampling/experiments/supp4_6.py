"""The Afghanistan log under OPS, states and emissions: UAI 2016 supplement Figure 6."""

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

ID = "supp4_6"
STREAM = "warlogs"  # experiments on logs share their streams, and so their fits
READS_LOGS = True
COLUMNS = ("kind", "region", "month", "state", "frequency", "feature", "outcome", "probability")
MAY_BE_EMPTY = ("region", "month", "frequency", "feature", "outcome", "probability")  # as `kind` has it


def check(params: Mapping[str, Any]) -> None:
    """The logs exist, and the chain is longer than its burn-in."""
    from dpsampling.experiments.chapter4 import warlog_checks

    warlog_checks.check(params)


def table(params: Mapping[str, Any], rng: np.random.Generator, logs: Mapping[str, EventCounts]) -> pd.DataFrame:
    """Assignments have no outcome, distributions no cell."""
    from dpsampling.experiments.chapter4 import warlog_fits

    return warlog_fits.everything(params, rng, logs)


def figure(table: pd.DataFrame) -> Figure:
    """Assignments above, one row of distributions a state."""
    from dpsampling.experiments.chapter4 import warlog_fits_figure

    return warlog_fits_figure.draw_everything(table, ID)


def claims(table: pd.DataFrame) -> list[Claim]:
    """Every state is used."""
    from dpsampling.experiments.chapter4 import warlog_fits_claims

    return warlog_fits_claims.judge_everything(table, ID)


def releases(table: pd.DataFrame) -> list[Release]:
    """One fit of one log."""
    from dpsampling.experiments.chapter4 import warlog_releases

    return warlog_releases.of_picture(table, ID)
