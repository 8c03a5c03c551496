"""What section 7.4 says of composition, against exact enumeration."""

from __future__ import annotations

import pandas as pd

from dpsampling.claims import Claim, at_least, at_most, untestable

SECTION = "thesis section 7.4, Figure 7.1"
ROUNDING = 1e-12  # of logarithms of output probabilities


def judge(table: pd.DataFrame) -> list[Claim]:
    """Two rules hold; without independence neither does."""
    rows = {str(case): (claimed, exact) for case, claimed, exact in table.itertuples(index=False)}
    observed, selected = rows["independent observations"], rows["independent selections"]
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
            rows["the same observation"],
        ),
        _fails(
            "dependent-selections",
            "profiles that select one another do not compose: their exact ε is above the largest",
            rows["dependent selections"],
        ),
    ]


def _fails(id: str, statement: str, row: tuple[float, float]) -> Claim:
    """A counterexample, if these profiles are one."""
    claimed, exact = row
    if exact <= claimed + ROUNDING:
        return untestable(id, SECTION, statement, "these profiles are no counterexample")
    return at_least(id, SECTION, statement, limit=claimed, measured=exact)
