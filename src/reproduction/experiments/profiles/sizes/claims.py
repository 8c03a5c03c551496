"""What section 7.5.2 says of the size of the programs, and that a flip a profile is never worse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from reproduction.claims import MONTE_CARLO, Claim, never
from reproduction.experiments.profiles.sizes import RANDOM

EVIDENCE = MONTE_CARLO  # profiles and graphs are drawn

SECTION = "thesis section 7.5.2"


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> Iterator[Claim]:
    """k d² variables, and flips within randomized response."""
    del params  # all that is judged stands in the table
    matrices = table[table["setting"] == RANDOM]
    d = matrices["categories"]
    text = (
        "k profiles over d categories take k d² variables; rows that sum to 1 and the common bound leave no more "
        "than k d (d − 1) + k of them"
    )
    violations = int((matrices["variables"] > matrices["profiles"] * (d * (d - 1) + 1)).sum())
    yield never("variables", SECTION, text, violations=violations, cases=len(matrices), ours=True)
    text = "no mechanism of profiles need flip more than randomized response, which is one of them"
    violations = int((table["largest"] > table["response"] + 1e-9).sum())
    yield never("within-response", "thesis Theorem 26", text, violations=violations, cases=len(table))
