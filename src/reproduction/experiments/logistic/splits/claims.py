"""Whether the published error of the posterior is one that some split has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from reproduction.claims import PUBLISHED_POINTS, Claim, at_least, untestable
from reproduction.experiments.logistic import published
from reproduction.experiments.logistic.text import called

EVIDENCE = PUBLISHED_POINTS

SOURCE = "NIPS 2017 Figure 3"
RARE = 1e-3  # the chance from which on a split below all others is held to be none of their kind


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """One claim."""
    dataset, line = params["dataset"], published.true_posterior(params["dataset"])
    text = f"the published error of the posterior on {called(dataset)} is not below that of every random split"
    if line is None or params["regularity"] != published.REGULARITY:
        reason = "no error was published for this data set, or it was for another β"
        return [untestable("reached", SOURCE, text, reason, ours=True)]
    spread = (
        f"the errors of {len(table)} splits go from {table['mean'].min():.4f} to {table['mean'].max():.4f}, and one "
        f"more like these is below all with probability 1/{len(table) + 1}"
    )
    limit, chance = float(table["mean"].min()), 1.0 / (len(table) + 1)
    if line < limit and chance > RARE:
        enough = round(1.0 / RARE) - 1
        reason = f"{line:g} is below all {len(table)}, which chance does too often to decide"
        reason = f"{reason}; of {enough} splits it would not"
        return [untestable("reached", SOURCE, f"{text}; {spread}", reason, ours=True)]
    return [at_least("reached", SOURCE, f"{text}; {spread}", limit=limit, measured=line, ours=True)]
