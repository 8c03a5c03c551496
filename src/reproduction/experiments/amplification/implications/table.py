r"""Table of the implications: on how many random kernels each one between two mixing conditions fails.

"γ-P implies γ-Q, whatever γ is" holds on a kernel where Q's coefficient is at most P's. An implication that is not in
the figure's chain has counterexamples, of which `COUNTEREXAMPLES` keeps one each. It stands beside the counts, row by
row, with its two coefficients as exact fractions.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.amplification.mixing import coefficients
from dpsampling.amplification.names import CONDITIONS, DOBRUSHIN, DOEBLIN, LEVEL_DOBRUSHIN, ULTRA_MIXING
from reproduction.experiments.amplification.exact_kernels import (
    HALF_KNOWN,
    RESPONSE,
    TRIANGLE,
    Rows,
    exact_coefficients,
)
from reproduction.experiments.amplification.implications import COLUMNS, RATIO, ROUNDING
from reproduction.experiments.amplification.random_kernels import kernels

# Premise and conclusion: a kernel on which the conclusion's coefficient is the larger one.
COUNTEREXAMPLES: dict[tuple[str, str], Rows] = {
    (LEVEL_DOBRUSHIN, DOBRUSHIN): RESPONSE,
    (LEVEL_DOBRUSHIN, DOEBLIN): RESPONSE,
    (LEVEL_DOBRUSHIN, ULTRA_MIXING): RESPONSE,
    (DOBRUSHIN, DOEBLIN): TRIANGLE,
    (DOBRUSHIN, ULTRA_MIXING): HALF_KNOWN,
    (DOEBLIN, ULTRA_MIXING): HALF_KNOWN,
}


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """Every ordered pair of conditions."""
    drawn = kernels(params["kernels"], params["kernel_sizes"], rng)
    by_kernel = np.array([list(coefficients(kernel, params["epsilon"]).values()) for kernel in drawn])
    values = dict(zip(CONDITIONS, by_kernel.T, strict=True))
    rows = [
        (p, q, len(by_kernel), int(np.sum(values[q] > values[p] + ROUNDING)), *_counterexample(p, q))
        for p, q in permutations(CONDITIONS, 2)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _counterexample(premise: str, conclusion: str) -> tuple[str | None, str | None, str | None]:
    """The kernel, row by row, and its two coefficients; nothing where the implication holds."""
    rows = COUNTEREXAMPLES.get((premise, conclusion))
    if rows is None:
        return None, None, None
    exact = exact_coefficients(rows, RATIO)
    return "; ".join(" ".join(map(str, row)) for row in rows), str(exact[premise]), str(exact[conclusion])
