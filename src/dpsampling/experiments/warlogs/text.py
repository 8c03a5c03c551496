"""What the figures on event logs say of the log they were made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd


def origin(table: pd.DataFrame, *logs: str) -> str:
    """`simulated log`, `real log`, or both, as the table's provenance has it."""
    told = table.attrs.get("inputs", {})
    origins = {told.get(log, {}).get("origin", "unknown") for log in logs}
    if origins == {"simulated"}:
        return "simulated log" if len(logs) == 1 else "simulated logs"
    if origins == {"file"}:
        return "real log" if len(logs) == 1 else "real logs"
    words = {"simulated": "simulated", "file": "real", "unknown": "of unknown origin"}
    return ", ".join(f"{title(table, log)}: {words[told.get(log, {}).get('origin', 'unknown')]}" for log in logs)


def title(table: pd.DataFrame, log: str) -> str:
    """A log's short name."""
    name: str = table.attrs.get("inputs", {}).get(log, {}).get("title", log)
    return name


def described(params: Mapping[str, Any]) -> str:
    """The one mechanism that parameters name, for a title."""
    if "multiplier" in params:
        return rf"OPS, $\varepsilon={params['epsilon']:g}$, $M={params['multiplier']:g}$"
    return rf"Laplace mechanism ({params['variant']}), $\varepsilon={params['epsilon']:g}$"
