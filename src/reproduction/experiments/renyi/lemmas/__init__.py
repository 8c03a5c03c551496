"""The lemmas and equations behind thesis Theorems 7 to 10, both sides computed (NIPS 2017 supplement A.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reproduction.experiments.checks import at_most_records, beta_prior
from reproduction.experiments.columns import SIDES

# The order is λ, or 0 where there is none; x is ε, m, δ or n.
COLUMNS = {"statement": str, "case": str, "order": float} | SIDES

LARGEST_DATA = 1000  # records, of which every data set's answer is looked at


def check(params: Mapping[str, Any]) -> None:
    """A Beta prior, and data that are small enough to be looked at one by one."""
    beta_prior(params)
    at_most_records("sizes", params["sizes"], LARGEST_DATA)


# left = right
EXPANSION_PRINTED, EXPANSION = "(5.19), v = η_P − η_Q", "(5.19), v = η_Q − η_P"
REMAINDER_PRINTED, REMAINDER = "(5.22), −e(1−λ)", "(5.22), +e(1−λ)"
GRADIENT, HESSIAN_Q, HESSIAN_P = "(5.48)", "(5.49)", "(5.52)"
CONVEX_FORM = "(5.54)"
LOSS_PRINTED, LOSS = "tail of the loss", "mean of what is above ε"
PUBLISHED_ONE, ANSWER = "a random record published", "the answer itself"
# left ≤ right
LEMMA_PRINTED, LEMMA, HALF = "Lemma 17, as printed", "Lemma 17, with η_Q", "(5.29), half"
GAUSSIAN = "(5.29), Gaussian"  # left = right
STEP, STEP_SQUARED = "(5.32), r", "(5.32), r²"
SCALE_PRINTED, SCALE = "r* as printed", "r* below r₀"
SMALL_HESSIAN, SMALL_LEVEL = "∇²C on the set", "(5.44)"
CALIBRATED = "largest r of all"  # no statement of the source: the scale that spends ε, beside r*
