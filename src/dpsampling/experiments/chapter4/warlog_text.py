"""What the figures on event logs say of the log they were made from."""

from __future__ import annotations

import pandas as pd


def origin(table: pd.DataFrame, *logs: str) -> str:
    """`simulated log`, `real log`, or both, as the table's provenance has it."""
    told = table.attrs.get("logs", {})
    origins = {told.get(log, {}).get("origin", "unknown") for log in logs}
    if origins == {"simulated"}:
        return "simulated log" if len(logs) == 1 else "simulated logs"
    if origins == {"file"}:
        return "real log" if len(logs) == 1 else "real logs"
    words = {"simulated": "simulated", "file": "real", "unknown": "of unknown origin"}
    return ", ".join(f"{title(table, log)}: {words[told.get(log, {}).get('origin', 'unknown')]}" for log in logs)


def title(table: pd.DataFrame, log: str) -> str:
    """A log's short name."""
    name: str = table.attrs.get("logs", {}).get(log, {}).get("title", log)
    return name


def is_simulated(table: pd.DataFrame, *logs: str) -> bool:
    """Whether all of them are."""
    return all(table.attrs.get("logs", {}).get(log, {}).get("origin") == "simulated" for log in logs)
