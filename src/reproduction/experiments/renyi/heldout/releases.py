"""What the runs of Figures 5.5–5.8 released."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.privacy.ledger import Release
from reproduction.experiments.renyi.heldout import UNDISTORTED, populations
from reproduction.experiments.renyi.heldout.table import mechanisms


def releases(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Release]:
    """One entry for each population, mechanism and ε: each run drew once, on a data set of its own."""
    del table  # its parameters say it all
    entries = {}
    for (name, epsilon), (_, mechanism) in mechanisms(params).items():
        label = name if name == UNDISTORTED else f"{name} at ε = {epsilon:.6g}"
        for rho in populations(params):
            data = f"each of {params['runs']} simulated data sets, ρ = {rho:.6g}"
            # The direct posterior stands at every ε, but was drawn from once.
            entries[data, label] = Release(data, label, mechanism.guarantee, order=params["order"])
    return list(entries.values())
