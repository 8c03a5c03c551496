"""The supplement's Figure 1: ε of the adversary's data against their number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from dpsampling.release.style import BLUE, SINGLE, VERMILION, house_style, subplots


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """One curve, and the worst case that it approaches."""
    with house_style():
        figure, (axes,) = subplots(width=SINGLE, height=2.6)
        axes.plot(table["n"], table["epsilon"], color=BLUE, label=r"this data set's $\varepsilon$")
        worst = float(table["worst_case"].iloc[0])
        axes.axhline(worst, color=VERMILION, linestyle="--", label=rf"worst case $2\Delta={worst:.3f}$")
        axes.set_xlim(0.0, float(table["n"].max()))
        axes.set_ylim(0.0, 1.1 * worst)
        axes.set_xlabel("records added by the adversary, $N$")
        axes.set_ylabel(r"privacy cost $\varepsilon$ of one draw")
        axes.set_title(rf"truncation $a_0={params['truncation']:g}$, greedy adversary")
        figure.legend(loc="outside lower center", ncols=2)
        return figure
