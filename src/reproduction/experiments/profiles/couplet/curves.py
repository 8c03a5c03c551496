"""The two families of pairs that are drawn as curves."""

from __future__ import annotations

import pandas as pd

ZERO, SYMMETRIC = "zero", "symmetric"  # p_i = 0, and pairs symmetric about 1/2


def family(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """The rows of one family, in the order of their gaps."""
    fits = {ZERO: table["p_i"] == 0.0, SYMMETRIC: (table["p_i"] + table["p_j"] - 1.0).abs() < 1e-12}
    chosen = table[fits[name]]
    return chosen.assign(gap=chosen["p_j"] - chosen["p_i"]).sort_values(["epsilon", "mechanism", "gap"])
