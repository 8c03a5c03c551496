"""ε of every way to make the model private, on a logarithmic axis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from dpsampling.experiments.warlogs.looks import MECHANISMS
from dpsampling.style import house_style, subplots


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """The first log's rows; other logs differ in Δ alone."""
    rows = table[table["log"] == table["log"].iloc[0]].reset_index(drop=True)
    with house_style():
        figure, (axes,) = subplots(width=7.2, height=2.9)
        places = list(range(len(rows)))[::-1]
        looks = [MECHANISMS[mechanism] for mechanism in rows["mechanism"]]
        axes.barh(places, rows["epsilon"], color=[look.colour for look in looks], height=0.65)
        axes.set_yticks(places, [f"{look.label}: {s}" for look, s in zip(looks, rows["setting"], strict=True)])
        for place, value in zip(places, rows["epsilon"], strict=True):
            axes.text(value * 1.15, place, f"{value:,.0f}" if value >= 100 else f"{value:.3g}", va="center", fontsize=8)
        axes.set_xscale("log")
        axes.set_xlim(right=float(rows["epsilon"].max()) * 5.0)
        axes.grid(visible=False, axis="y")
        axes.set_xlabel(r"$\varepsilon$ of the whole release")
        axes.set_title(
            rf"A private HMM at $\varepsilon={params['epsilon']:g}$, "
            rf"{params['iterations']} iterations, $M={params['multiplier']:g}$"
        )
    return figure
