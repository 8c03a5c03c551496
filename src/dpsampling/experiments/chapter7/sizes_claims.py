"""What section 7.5.2 says of the size of the programs, and that a flip a profile is never worse."""

from __future__ import annotations

import pandas as pd

from dpsampling.claims import Claim, never
from dpsampling.experiments.chapter7.sizes import RANDOM
from dpsampling.experiments.contract import parameters_of
from dpsampling.profiles.solvers import response_flip

SECTION = "thesis section 7.5.2"


def judge(table: pd.DataFrame, experiment: str) -> list[Claim]:
    """k d² variables, and flips within randomized response."""
    epsilon = float(parameters_of(table, experiment)["epsilon"])
    matrices = table[table["setting"] == RANDOM]
    d = matrices["categories"]
    most = [response_flip(int(categories), epsilon) for categories in table["categories"]]
    return [
        never(
            "variables",
            SECTION,
            "k profiles over d categories take k d² variables; rows that sum to 1 and the common bound leave no more "
            "than k d (d − 1) + k of them",
            violations=int((matrices["variables"] > matrices["profiles"] * (d * (d - 1) + 1)).sum()),
            cases=len(matrices),
        ),
        never(
            "within-response",
            "thesis Theorem 26",
            "no mechanism flips more than randomized response",
            violations=int((table["largest"] > pd.Series(most, index=table.index) + 1e-9).sum()),
            cases=len(table),
        ),
    ]
