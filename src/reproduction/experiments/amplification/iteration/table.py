"""Table of iteration: Theorem 21 in its three forms beside the exact divergence of iterated affine maps.

The last rows are for maps that expand, L > 1, along the best path of (6.4).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.amplification.iteration import SHARES, affine, guarantee, through
from dpsampling.amplification.names import OPTIMAL
from reproduction.experiments.amplification.iteration import COLUMNS, EXACT

EXPANSION, LENGTHS = 1.1, (1, 200)


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row a Lipschitz constant, number of steps and curve."""
    del rng  # nothing here is random
    order, delta, sigma = (float(params[name]) for name in ("order", "sensitivity", "sigma"))
    rows = []
    for contraction in sorted(params["contractions"]):
        for steps in sorted(params["lengths"]):
            levels = {form: guarantee(delta, sigma, contraction, steps, form).epsilon(order) for form in SHARES}
            levels[EXACT] = affine(delta, sigma, contraction, steps)(order)
            rows += [(order, delta, sigma, contraction, steps, curve, level) for curve, level in levels.items()]
    for steps in LENGTHS:
        level = through(delta, [EXPANSION] * steps, [sigma] * steps).epsilon(order)
        rows.append((order, delta, sigma, EXPANSION, steps, OPTIMAL, level))
    return pd.DataFrame(rows, columns=list(COLUMNS))
