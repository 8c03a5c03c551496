r"""Table of Figure 6.1: on how many random kernels each implication between mixing conditions fails.

"γ-P implies γ-Q, whatever γ is" holds on a kernel where Q's coefficient is at most P's. An implication that is not in
the figure's chain has counterexamples, of which `COUNTEREXAMPLES` keeps one each, in exact fractions.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.amplification.mixing import (
    CONDITIONS,
    DOBRUSHIN,
    DOEBLIN,
    LEVEL_DOBRUSHIN,
    ULTRA_MIXING,
    coefficients,
)
from dpsampling.experiments.chapter6.random_kernels import kernels

TRUE = frozenset(
    {
        (ULTRA_MIXING, DOEBLIN),
        (ULTRA_MIXING, DOBRUSHIN),
        (ULTRA_MIXING, LEVEL_DOBRUSHIN),
        (DOEBLIN, DOBRUSHIN),
        (DOEBLIN, LEVEL_DOBRUSHIN),
        (DOBRUSHIN, LEVEL_DOBRUSHIN),
    }
)
ROUNDING = 1e-12  # of coefficients that are equal, as those of Dobrushin and Doeblin with two inputs

_HALF, _QUARTER, _0, _1 = Fraction(1, 2), Fraction(1, 4), Fraction(0), Fraction(1)
ResponseRows = tuple[tuple[Fraction, ...], ...]
# Randomized response with e^ε = 3: no two rows differ at its level.
RESPONSE: ResponseRows = ((3 * _QUARTER, _QUARTER), (_QUARTER, 3 * _QUARTER))
HALF_KNOWN: ResponseRows = ((_1, _0), (_HALF, _HALF))
TRIANGLE: ResponseRows = ((_HALF, _HALF, _0), (_0, _HALF, _HALF), (_HALF, _0, _HALF))
# Premise and conclusion: a kernel on which the conclusion's coefficient is the larger one, and the e^ε it is meant at.
COUNTEREXAMPLES: dict[tuple[str, str], tuple[ResponseRows, Fraction]] = {
    (LEVEL_DOBRUSHIN, DOBRUSHIN): (RESPONSE, Fraction(3)),
    (LEVEL_DOBRUSHIN, DOEBLIN): (RESPONSE, Fraction(3)),
    (LEVEL_DOBRUSHIN, ULTRA_MIXING): (RESPONSE, Fraction(3)),
    (DOBRUSHIN, DOEBLIN): (TRIANGLE, Fraction(3)),
    (DOBRUSHIN, ULTRA_MIXING): (HALF_KNOWN, Fraction(3)),
    (DOEBLIN, ULTRA_MIXING): (HALF_KNOWN, Fraction(3)),
}


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """Every ordered pair of conditions."""
    found = np.array(
        [
            list(coefficients(kernel, params["epsilon"]).values())
            for kernel in kernels(params["kernels"], params["kernel_sizes"], rng)
        ]
    )
    values = dict(zip(CONDITIONS, found.T, strict=True))
    rows = [
        (premise, conclusion, len(found), int(np.sum(values[conclusion] > values[premise] + ROUNDING)))
        for premise, conclusion in permutations(CONDITIONS, 2)
    ]
    return pd.DataFrame(rows, columns=["premise", "conclusion", "kernels", "violations"])


def exact_coefficients(rows: ResponseRows, ratio: Fraction) -> dict[str, Fraction]:
    """The four coefficients of a kernel of fractions, by their definitions; `ratio` is e^ε."""
    outputs = range(len(rows[0]))

    def stick(factor: Fraction) -> Fraction:
        return max(sum((max(_0, a[y] - factor * b[y]) for y in outputs), _0) for a in rows for b in rows)

    shared = sum((min(row[y] for row in rows) for y in outputs), _0)
    least = min(a[y] / b[y] for a in rows for b in rows for y in outputs if b[y])
    return {DOBRUSHIN: stick(_1), LEVEL_DOBRUSHIN: stick(ratio), DOEBLIN: 1 - shared, ULTRA_MIXING: 1 - least}
