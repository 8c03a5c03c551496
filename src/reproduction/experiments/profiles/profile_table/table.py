"""Table 7.1: the profiles of the categorical chain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from reproduction.experiments.profiles.profile_table import COLUMNS


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row a profile and category."""
    del rng  # nothing here is random
    rows = [
        (i, y, probability)
        for i, row in enumerate(params["categorical"], start=1)
        for y, probability in enumerate(row, start=1)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))
