"""Whether the published error of the posterior is one that some split has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.claims import REAL_DATA, Claim, at_least, untestable
from dpsampling.experiments.logistic import published
from dpsampling.experiments.logistic.looks import called

EVIDENCE = REAL_DATA

SOURCE = "NIPS 2017 Figure 3"


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """One claim."""
    dataset, line = params["dataset"], published.true_posterior(params["dataset"])
    text = f"the published error of the posterior on {called(dataset)} is not below that of every random split"
    if line is None or params["regularity"] != published.REGULARITY:
        reason = "no error was published for this data set, or it was for another β"
        return [untestable("reached", SOURCE, text, reason)]
    spread = f"the errors of {len(table)} splits go from {table['mean'].min():.4f} to {table['mean'].max():.4f}"
    return [at_least("reached", SOURCE, f"{text}; {spread}", limit=float(table["mean"].min()), measured=line)]
