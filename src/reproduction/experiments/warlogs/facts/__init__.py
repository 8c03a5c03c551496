"""What thesis section 4.5 says of the logs and of the model, apart from the figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError
from reproduction.experiments.warlogs import checks

COLUMNS = {"quantity": str, "at": float | None, "value": float, "error": float | None}
# Quantities of the log.
ENTRIES, MONTHS, MEDIAN = "entries", "months with entries", "median entries of a cell"
MONTHLY, SKEWNESS, TREND = "entries of a month", "skewness of the months' entries", "rank correlation with time"
DETRENDED = "skewness about the trend"
FEATURES, BEFORE = "features", "features before merging"
MERGED, LARGEST = "entries with casualties, merged", "the most of one column"
# Of fits.
LOSS, GAP, GAP_LESS = "loss by noise", "training less held-out", "that, less without privacy"
ONE_STATE = "HMM of one state less naive Bayes"

SIDES = {  # of a merged feature, the columns that it is merged of
    "friendly_or_host": ("friendly_wounded", "friendly_killed", "host_wounded", "host_killed"),
    "civilian": ("civilian_wounded", "civilian_killed"),
    "enemy": ("enemy_wounded", "enemy_killed", "enemy_detained"),
}
SHARES = (1.0, 0.3, 0.1, 0.03)  # of the entries, kept at random


def check(params: Mapping[str, Any]) -> None:
    """Two logs: one, and the same with its casualties by column."""
    checks.check(params)
    if len(params["logs"]) != 2:
        raise InputError(f"logs has {len(params['logs'])}; name a log, and the same with its casualties by column.")
    if params["epsilon"] not in params["epsilons"]:
        raise InputError(f"epsilon is {params['epsilon']:g}, which is none of the epsilons; add it there.")
