"""Table of fig6_4: iterated Laplace noise by the bound (6.2), exactly, and each of the two noises alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.amplification.couplings import iterated_laplace, iterated_laplace_divergence, laplace

BOUND, EXACT, FIRST, SECOND = "bound", "exact", "single", "second alone"


def table(params: Mapping[str, Any]) -> pd.DataFrame:
    """One row a pair of scales, order and curve."""
    delta, scale1 = float(params["sensitivity"]), float(params["first_scale"])
    rows = []
    for scale2 in sorted(params["second_scales"]):
        curves = {
            BOUND: iterated_laplace(delta, scale1, scale2),
            FIRST: laplace(delta, scale1),
            SECOND: laplace(delta, scale2),
        }
        for order in sorted(params["orders"]):
            levels = {name: curve.epsilon(order) for name, curve in curves.items()}
            levels[EXACT] = iterated_laplace_divergence(order, delta, scale1, scale2)
            rows += [(delta, scale1, scale2, order, name, level) for name, level in levels.items()]
    return pd.DataFrame(rows, columns=["delta", "scale1", "scale2", "order", "curve", "epsilon"])
