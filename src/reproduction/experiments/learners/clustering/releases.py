"""What the private fits release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.privacy.ledger import Release
from reproduction.experiments.learners import clustering as said
from reproduction.experiments.learners.clustering.table import learner


def releases(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Release]:
    """One entry for each data set, mechanism, number of blocks and ε, with a fit a repeat."""
    released = []
    fits = table[(table["view"] == said.ERROR) & table["epsilon"].notna()]
    for row in fits.to_dict("records"):
        blocks = None if pd.isna(row["blocks"]) else int(row["blocks"])
        starts = np.zeros((int(row["clusters"]), int(row["dimension"])))
        guarantee = learner(row["mechanism"], starts, blocks, row["epsilon"], params["delta"]).guarantee
        parts = "" if blocks is None else f", {blocks} blocks"
        label = f"{row['mechanism']}{parts} at ε = {row['epsilon']:.6g}"
        released.append(Release(row["dataset"], label, guarantee, int(row["repeats"])))
    return released
