"""Table of fig6_5: Theorem 21 in its three forms beside the exact divergence of iterated affine maps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.amplification.iteration import SHARES, affine, guarantee

EXACT = "exact affine"


def table(params: Mapping[str, Any]) -> pd.DataFrame:
    """One row a contraction, number of steps and curve."""
    order, delta, sigma = (float(params[name]) for name in ("order", "sensitivity", "sigma"))
    rows = []
    for contraction in sorted(params["contractions"]):
        for steps in sorted(params["lengths"]):
            levels = {form: guarantee(delta, sigma, contraction, steps, form).epsilon(order) for form in SHARES}
            levels[EXACT] = affine(delta, sigma, contraction, steps)(order)
            rows += [(order, delta, sigma, contraction, steps, curve, level) for curve, level in levels.items()]
    columns = ["order", "delta", "sigma", "contraction", "steps", "curve", "epsilon"]
    return pd.DataFrame(rows, columns=columns)
