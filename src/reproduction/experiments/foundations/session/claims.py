"""What Robust 2014 section 4.2 says of its query model, and what k answers cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, MONTE_CARLO, Claim
from reproduction.experiments.foundations import session as said
from reproduction.experiments.foundations.judging import alike, none
from reproduction.experiments.foundations.rows import where

EVIDENCE = EXACT

ALGORITHM, SECTION, THEOREM = "Robust 2014 Algorithm 1", "Robust 2014 section 4.2", "Robust 2014 Theorem 2 (i)"
ROUNDING = 1e-9  # relative


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """All of them."""
    identity = where(table, query=said.IDENTITY)
    single = where(identity, queries=1)
    first = float(single["epsilon_exact"].iloc[0]) if len(single) else float("nan")
    queried = table[table["query"] != said.IDENTITY].merge(identity, on="queries", suffixes=("", "_of_theta"))
    simulated = table[table["distance"].notna()]
    share = (identity["epsilon_exact"] / identity["epsilon_promised"]).max()
    return [
        none(
            "product",
            ALGORITHM,
            "each query is answered from a fresh draw: simulated sequences of answers have the product law (‖p̂ − p‖₁ "
            f"below what Weissman's bound allows at 1e-6, of {params['repeats']} sequences each)",
            simulated["distance"] > simulated["distance_limit"],
            evidence=MONTE_CARLO,
        ),
        alike(
            "composition",
            ALGORITHM,
            "k answers that show θ cost exactly k times what one does (largest relative error of the exact ε)",
            identity["epsilon_exact"] / (identity["queries"] * first) - 1.0,
            ROUNDING,
            ours=True,
        ),
        alike(
            "renyi-composition",
            ALGORITHM,
            "k answers that show θ have k times the Rényi divergence of order 2 of one (largest relative error)",
            identity["renyi_exact"] / identity["renyi_promised"] - 1.0,
            ROUNDING,
            ours=True,
        ),
        none(
            "identity",
            SECTION,
            "Theorem 2 (i) is the privacy of this mechanism for q(θ) = θ: k answers are 2Lk-DP, as the session says; "
            f"the largest share that is spent is {share:.3f}",
            identity["epsilon_exact"] > identity["epsilon_promised"] * (1.0 + ROUNDING),
            of_privacy=True,
        ),
        none(
            "other-queries",
            "Robust 2014 section 4.3",
            "no other queries show more than θ itself, not even if they are chosen by earlier answers",
            (queried["epsilon_exact"] > queried["epsilon_exact_of_theta"] * (1.0 + ROUNDING))
            | (queried["renyi_exact"] > queried["renyi_exact_of_theta"] * (1.0 + ROUNDING)),
        ),
    ]
