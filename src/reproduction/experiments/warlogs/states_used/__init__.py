"""How many of ten states a private fit uses: thesis section 4.5."""

from __future__ import annotations

from reproduction.experiments.warlogs.checks import check

__all__ = ["COLUMNS", "check"]

COLUMNS = {
    "log": str,
    "mechanism": str,
    "variant": str,
    "epsilon": float,
    "fits": int,
    "states": float,
    "sem": float,
    "by_entries": float,
    "by_entries_sem": float,
    "tenths": float,
    "tenths_sem": float,
    "occupied": float,
    "occupied_sem": float,
}
