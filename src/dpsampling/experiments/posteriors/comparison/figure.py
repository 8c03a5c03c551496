"""Table 4.1 drawn as a table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from dpsampling.style import house_style, subplots

PROPERTIES = {
    "sensitivity": "sensitivity",
    "scale": "S(X) times",
    "draws": "draws for ε",
    "efficiency": "efficiency",
    "gibbs-cost": "Gibbs chain's ε",
}
MECHANISMS = {"laplace": "Laplace mechanism", "ops": "OPS"}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Two rows, five columns."""
    values = table.set_index(["mechanism", "property"])["value"]
    cells = [[_cell(float(values[m, p])) for p in PROPERTIES] for m in MECHANISMS]
    with house_style():
        figure, (axes,) = subplots(width=8.0, height=1.7)
        axes.axis("off")
        drawn = axes.table(
            cellText=cells,
            rowLabels=list(MECHANISMS.values()),
            colLabels=list(PROPERTIES.values()),
            cellLoc="center",
            loc="center",
        )
        drawn.auto_set_font_size(False)
        drawn.set_fontsize(9)
        drawn.scale(1.0, 1.6)
        axes.set_title(
            rf"$\varepsilon={params['epsilon']:g}$, $a_0={params['truncation']:g}$, $p={params['p']:g}$, "
            f"N = {params['n']}, {params['steps']} Gibbs updates"
        )
        return figure


def _cell(value: float) -> str:
    return "any number" if math.isinf(value) else f"{value:.4g}"
