"""The review's propositions about divergences and properties, on all small finite mechanisms and on random ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError

COLUMNS = {
    "statement": str,  # one of those below
    "case": str,
    "cases": int,
    "violations": int,
    "left": float,  # both sides where the left exceeds the right most, e^D or δ
    "right": float,
    "witness": str | None,  # the first violation, the smallest
}

THRESHOLD, SUPPORT, IFF, LOGS = "threshold events", "Definition 2.18", "iff", "logarithms"
LEMMA_24, LEMMA_25 = "Lemma 2.24", "Lemma 2.25"
PURE, ONE_DELTA = "Definition 2.16", "Definition 2.15"
BEFORE, AFTER = "Proposition 2.26", "Proposition 2.27"
SEQUENTIAL, SUM = "Proposition 2.28", "Corollary 2.29"
PARALLEL, PARALLEL_PURE = "Proposition 2.32", "Corollary 2.33"

EVERY, ABOVE_DELTA, UP_TO_DELTA = "every pair", "events above δ", "events up to δ"
NO_DELTA, JOINT_ABOVE, JOINT_BELOW = "δ = 0", "δ > 0: joint above", "δ > 0: joint below"
DEPENDENT, UPPER, LOWER = "δ = 0, dependent", "upper bound, ours", "lower bound, ours"
USUAL, GROUP = "usual definition, same δ", "usual definition, grown δ"
INDEPENDENT, ADAPTIVE = "independent", "adaptive"
SOME = "1 − Π(1 − δ), ours"
MAPS, KERNELS = "every map", "random kernels"
NEAR, FAR, FAR_SOME = "distance 1", "every distance", "every distance, 1 − Π(1 − δ)"

LARGEST_DENOMINATOR = 6


def check(params: Mapping[str, Any]) -> None:
    """Few laws, of which all pairs of pairs are looked at."""
    if max(params["denominators"]) > LARGEST_DENOMINATOR:
        raise InputError(
            f"denominators has {max(params['denominators'])}; all pairs of pairs of laws with it are looked at: ask "
            f"for {LARGEST_DENOMINATOR} at most."
        )
