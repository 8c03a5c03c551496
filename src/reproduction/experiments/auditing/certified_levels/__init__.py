"""Certified levels: what mechanisms promise beside enclosures of their exact levels, at random settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = {
    "mechanism": str,
    "family": str | None,
    "records": float | None,
    "order": float | None,
    "target": float | None,
    "promised": float,
    "lower": float,
    "upper": float,
    "distorted": str,
    "to_horizon": float,
}

DISTORTED, AS_IT_IS = "yes", "no"  # whether the target is what the mechanism is distorted for
BELOW_TARGET, BELOW_PROMISE = "target", "promised"


def left(table: pd.DataFrame, limit: str) -> pd.Series[float]:
    """(limit − upper)/limit of `BELOW_TARGET` or `BELOW_PROMISE`: what of it the exact level does not need.

    It is no column: its few digits are those of the rounding, which may differ on another machine.
    """
    return (table[limit] - table["upper"]) / table[limit]
