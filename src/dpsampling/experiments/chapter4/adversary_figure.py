"""The supplement's Figure 1: ε of the adversary's data against their number."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from dpsampling.experiments.contract import parameters_of
from dpsampling.style import house_style, subplots


def draw(table: pd.DataFrame, experiment: str) -> Figure:
    """One curve, and the worst case that it approaches."""
    params = parameters_of(table, experiment)
    with house_style():
        figure, (axes,) = subplots()
        axes.plot(table["n"], table["epsilon"], color="#0072B2", label=r"this data set's $\varepsilon$")
        worst = float(table["worst_case"].iloc[0])
        axes.axhline(worst, color="#D55E00", linestyle="--", label=rf"worst case $2\Delta={worst:.3f}$")
        axes.set_xlim(0.0, float(table["n"].max()))
        axes.set_ylim(0.0, 1.1 * worst)
        axes.set_xlabel("records added by the adversary, $N$")
        axes.set_ylabel(r"privacy cost $\varepsilon$ of one posterior draw")
        axes.set_title(rf"truncation $a_0={params['truncation']:g}$, greedy adversary")
        axes.legend(loc="lower right")
        return figure
