"""One score of every setting of the sweeps, which `dpsampling.learners.logistic.sweep` has drawn and scored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from reproduction.experiments.logistic.curves import COLUMNS


def table(params: Mapping[str, Any], rng: np.random.Generator, inputs: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Data sets, orders, mechanisms and ε in the order of the parameters."""
    del rng  # the sweeps have drawn
    score = params["score"]
    whole = pd.concat([inputs[name] for name in params["datasets"]], ignore_index=True)
    whole = whole.rename(columns={score: "mean", f"{score}_sd": "sd"})
    rank = {name: i for i, name in enumerate(params["datasets"])}
    whole = whole.assign(rank=whole["dataset"].map(rank))
    return whole.sort_values(["rank", "order", "mechanism", "log_epsilon"], ignore_index=True)[list(COLUMNS)]
