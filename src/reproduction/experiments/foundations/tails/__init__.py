"""How far releases are from the truth, and what they cost, against the bounds of the review's section 3."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError

COLUMNS = {
    "mechanism": str,
    "statement": str,  # one of those below
    "data": str,
    "epsilon": float,
    "dimension": int,  # bits, answers, numbers, alternatives beside the first
    "threshold": float,  # flips, distance, deficit of the score; of a level the distance of the data sets
    "draws": int,
    "empirical": float | None,
    "chance": float | None,  # under the exact law, of a count at least as far out
    "excess": float | None,  # under the bound, of so many or more
    "exact": float,
    "bound": float,
    "cases": int,
}

BITS, HALF, CHOICES = "bits flipped alike", "bits, 0 flipped at a half", "one of four answers"
LAPLACE, EXPONENTIAL = "Laplace", "exponential"
CLASSICAL, ANALYTIC = "Gaussian, classical", "Gaussian, analytic"
GAUSSIANS, FLIPPED = (CLASSICAL, ANALYTIC), (BITS, HALF)

FLIPS, ANSWERS = "j bits flipped", "j answers changed"
NOISE = "noise at or beyond the threshold"
DEFICIT, LOOSE = "score deficit, ln |Y|/|Y_X|", "score deficit, ln |Y|"
LEVEL = "level at a distance"
BOUNDED = (FLIPS, NOISE, DEFICIT, LOOSE)  # by the review

APART, COUNTS = "scores moved apart", "counts for scores"
GRADED, WORST, TIED = "one best, others graded", "one best, others at the threshold", "three best, others graded"
ANY = "any"

LARGEST_DIMENSION = 32  # bits whose law is exact for every number of ones


def check(params: Mapping[str, Any]) -> None:
    """Laws of flips are sums of rationals, and probabilities above ½ give thresholds that say nothing."""
    if max(params["dimensions"]) > LARGEST_DIMENSION:
        raise InputError(
            f"dimensions has {max(params['dimensions'])}; the exact laws of flips need {LARGEST_DIMENSION} or less."
        )
    low, high = min(params["epsilons"]), max(params["epsilons"])
    if low < 1e-3 or high > 3:
        wrong = low if low < 1e-3 else high
        raise InputError(f"epsilons has {wrong:g}; the mechanisms compared here need levels from 0.001 to 3.")
