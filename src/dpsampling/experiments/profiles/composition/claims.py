"""What section 7.4 says of composition, against exact enumeration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.claims import EXACT, Claim, at_least, at_most, untestable
from dpsampling.experiments.profiles.composition import DEPENDENT, OBSERVATIONS, SAME, SELECTIONS

EVIDENCE = EXACT

SECTION = "thesis section 7.4, Figure 7.1"
ROUNDING = 1e-12  # of logarithms of output probabilities


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """Two rules hold; without independence neither does."""
    del params  # the rules do not depend on them
    rows = {str(case): (claimed, exact) for case, claimed, exact in table.itertuples(index=False)}
    observed, selected = rows[OBSERVATIONS], rows[SELECTIONS]
    return [
        at_most(
            "additive",
            "thesis Observation 8",
            "independent observations of one profile: ε's add",
            limit=observed[0],
            measured=observed[1],
            tolerance=ROUNDING,
        ),
        at_most(
            "parallel",
            "thesis Observation 9",
            "independently selected profiles: the largest ε",
            limit=selected[0],
            measured=selected[1],
            tolerance=ROUNDING,
        ),
        _fails(
            "same-observation",
            "an observation that is released twice does not compose: its exact ε is above the sum",
            rows[SAME],
        ),
        _fails(
            "dependent-selections",
            "profiles that select one another do not compose: their exact ε is above the largest",
            rows[DEPENDENT],
        ),
    ]


def _fails(id: str, statement: str, row: tuple[float, float]) -> Claim:
    """A counterexample, if these profiles are one."""
    claimed, exact = row
    if exact <= claimed + ROUNDING:
        return untestable(id, SECTION, statement, "these profiles are no counterexample")
    return at_least(id, SECTION, statement, limit=claimed, measured=exact)
