"""How many of ten states a private fit uses (thesis section 4.5)."""

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

ID = "states_used"
STREAM = "warlogs"  # experiments on logs share their streams, and so their fits
READS_LOGS = True
COLUMNS = ("log", "mechanism", "variant", "epsilon", "states")


def check(params: Mapping[str, Any]) -> None:
    """The logs exist, and the chain is longer than its burn-in."""
    from dpsampling.experiments.chapter4 import warlog_checks

    warlog_checks.check(params)


def table(params: Mapping[str, Any], rng: np.random.Generator, logs: Mapping[str, EventCounts]) -> pd.DataFrame:
    """One row a point."""
    from dpsampling.experiments.chapter4 import states_used

    return states_used.table(params, rng, logs)


def figure(table: pd.DataFrame) -> Figure:
    """States in use against ε."""
    from dpsampling.experiments.chapter4 import states_used_figure

    return states_used_figure.draw(table, ID)


def claims(table: pd.DataFrame) -> list[Claim]:
    """Two to three, or all."""
    from dpsampling.experiments.chapter4 import states_used_claims

    return states_used_claims.judge(table, ID)


def releases(table: pd.DataFrame) -> list[Release]:
    """Every private fit."""
    from dpsampling.experiments.chapter4 import warlog_releases
    from dpsampling.experiments.contract import parameters_of

    return warlog_releases.of_points(table, ID, parameters_of(table, ID)["repeats"])
