r"""The published black-box lower bounds, one a mechanism.

data/published/black_box_lower_bounds.csv has columns specimen, lower_bound, seconds: DP-Sniper's with logistic
regression, at confidence .9 each, and how long search and final estimate took together.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.files import read_table
from dpsampling.files.documents import published
from reproduction.experiments.auditing.public_mechanisms import why_not

FILE = "black_box_lower_bounds.csv"


def bounds(params: Mapping[str, Any]) -> dict[str, float]:
    """The lower bound of each specimen that has one; none for other parameters than the published ones."""
    if why_not(params):
        return {}
    raw: pd.DataFrame = read_table(published(FILE))
    return dict(zip(raw["specimen"], raw["lower_bound"], strict=True))
