"""Draw an experiment's table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from pandas.api.types import is_numeric_dtype

from dpsampling.grids import expanded
from dpsampling.stages import leaf
from dpsampling.style import literal


def draw(code: str, table: pd.DataFrame, parameters: Mapping[str, Any]) -> Figure:
    """The figure; `style.save` writes it. Names that a user gave are drawn as they are; dollars begin no formula."""
    words = {str(name): column.map(literal) for name, column in table.items() if not is_numeric_dtype(column)}
    shown = table.assign(**words)
    shown.attrs = {**table.attrs, "inputs": literal(table.attrs.get("inputs", {}))}
    drawn: Figure = leaf.function(code, "figure")(shown, expanded(literal(parameters)))
    return drawn
