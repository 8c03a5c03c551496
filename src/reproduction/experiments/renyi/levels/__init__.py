"""The Rényi levels that Algorithms 2 and 3 achieve: thesis Figures 5.1 and 5.2."""

from __future__ import annotations

from reproduction.experiments.renyi import checks

COLUMNS = {"variant": str, "scale": float, "order": float, "epsilon": float}
NAMES = {"diffused": "Algorithm 2", "concentrated": "Algorithm 3"}
CORRECT, PRINTED, ENUMERATED = "correct", "printed", "enumerated"  # variants
SYMBOLS = {"diffused": "r", "concentrated": "m"}

check = checks.levels
