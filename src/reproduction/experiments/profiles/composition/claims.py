"""What section 7.4 says of composition, against exact enumeration."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, Claim, at_least, at_most, untestable
from reproduction.experiments.profiles.composition import DEPENDENT, OBSERVATIONS, SAME, SELECTIONS

EVIDENCE = EXACT

SECTION = "thesis section 7.4, Figure 7.1"
ROUNDING = 1e-12  # of logarithms of output probabilities
NO_COUNTEREXAMPLE = "these profiles are no counterexample"


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> Iterator[Claim]:
    """Two rules hold; without independence neither does."""
    rows = {str(case): (claimed, exact) for case, claimed, exact in table.itertuples(index=False)}
    text = "independent observations of one profile: ε's add"
    claimed, exact = rows[OBSERVATIONS]
    source = "thesis Observation 8"
    yield at_most("additive", source, text, limit=claimed, measured=exact, tolerance=ROUNDING, of_privacy=True)
    text = "independently selected profiles: the largest ε"
    claimed, exact = rows[SELECTIONS]
    source = "thesis Observation 9"
    yield at_most("parallel", source, text, limit=claimed, measured=exact, tolerance=ROUNDING, of_privacy=True)
    text = "an observation that is released twice does not compose: its exact ε is above the sum"
    claimed, exact = rows[SAME]
    if exact <= claimed + ROUNDING:
        yield untestable("same-observation", SECTION, text, NO_COUNTEREXAMPLE)
    else:
        yield at_least("same-observation", SECTION, text, limit=claimed, measured=exact)
    yield _dependent(rows[DEPENDENT], params["bernoulli"])


def _dependent(row: tuple[float, float], p: Sequence[float]) -> Claim:
    """3 and 4 are not joined: their outputs are as they are, and alone tell whether 1 or 2 came before them."""
    text = "profiles that select one another do not compose: their exact ε is above the largest"
    claimed, exact = row
    outcomes = ((p[2], p[3]), (1.0 - p[2], 1.0 - p[3]))
    alone = max(abs(math.log(a / b)) if min(a, b) > 0 else 0.0 if a == b else math.inf for a, b in outcomes)
    if alone <= claimed + ROUNDING:
        return untestable("dependent-selections", SECTION, text, NO_COUNTEREXAMPLE)
    return at_least("dependent-selections", SECTION, text, limit=claimed, measured=exact)
