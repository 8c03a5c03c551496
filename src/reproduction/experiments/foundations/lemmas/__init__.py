"""The small lemmas of Robust 2014, both sides computed exactly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError

COLUMNS = {
    "statement": str,  # one of those below
    "case": str,
    "n": int,  # records, or draws from a posterior
    "left": float,
    "right": float,
    "cases": int,
}

# As `left` ≤ `right` in the worst of all cases, or the number of cases that break it ≤ 0.
CONSTANT, FEW, CONCENTRATION = (
    "Lipschitz constant of n records",
    "of k records that differ",
    "concentration of n records",
)
SAME_CONSTANT, SAME_CONCENTRATION = "Lipschitz constant of one record", "concentration of one record"
PROOF_EQUAL, PROOF_BELOW = "distance of products, as proved", "distance of products, at most the sum"
FAILURE, RADIUS = "failure of the empirical law", "radius of the empirical law"
WEISSMAN = "tail of the empirical law"
PINSKER, EVENTS, COARSER = "Pinsker", "events", "coarser events"
AXIOMS, FINITE, FINITE_POSITIVE = "axioms of a metric", "infinite distances", "infinite distances above 0"
MULTIPLIED, ADDED, BOTH = "Hamming, (ε, 0)", "Hamming, (0, δ)", "Hamming, (ε, δ)"
GROUP = "Hamming, (ε, δ), as paths add"
TWO_POINTS, ALL_PAIRS, MIXTURES = "Le Cam, coins", "Le Cam, every pair", "Le Cam, mixtures"

SYMMETRIC, LOPSIDED = "coins of .4 and .6", "coins of .05 and .2"


def check(params: Mapping[str, Any]) -> None:
    """Every cell has some probability."""
    if params["resolution"] < max(params["cells"]):
        raise InputError(
            f"resolution is {params['resolution']}; for {max(params['cells'])} cells it must be as many or more, so "
            "that each can have some probability."
        )
