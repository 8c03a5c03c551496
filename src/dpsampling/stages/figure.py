"""Draw an experiment's table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from dpsampling.grids import expanded
from dpsampling.stages import leaf


def draw(code: str, table: pd.DataFrame, parameters: Mapping[str, Any]) -> Figure:
    """The figure; `style.save` writes it."""
    drawn: Figure = leaf.function(code, "figure")(table, expanded(parameters))
    return drawn
