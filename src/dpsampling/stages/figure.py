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
    figure = leaf.function(code, "figure")
    if figure is None:
        raise TypeError(f"{leaf.home(code)} has no function `figure`")
    drawn: Figure = figure(table, expanded(parameters))
    return drawn
