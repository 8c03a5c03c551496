"""Whether a fit finds the states that a simulated log was made from."""

from __future__ import annotations

from reproduction.experiments.warlogs.checks import check

__all__ = ["COLUMNS", "check"]

COLUMNS = {"log": str, "replicate": int, "share": float}
