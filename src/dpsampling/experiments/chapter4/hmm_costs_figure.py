"""ε of every way to make the model private, on a logarithmic axis."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from dpsampling.experiments.contract import parameters_of
from dpsampling.style import house_style, subplots

COLOURS = {"laplace": "#0072B2", "ops": "#D55E00", "private Gibbs": "#009E73"}
NAMES = {"laplace": "Laplace", "ops": "OPS", "private Gibbs": "private Gibbs"}


def draw(table: pd.DataFrame, experiment: str) -> Figure:
    """The first log's rows; other logs differ in Δ alone."""
    params = parameters_of(table, experiment)
    rows = table[table["log"] == table["log"].iloc[0]].reset_index(drop=True)
    with house_style():
        figure, (axes,) = subplots(width=7.2, height=2.9)
        places = list(range(len(rows)))[::-1]
        axes.barh(places, rows["epsilon"], color=[COLOURS[m] for m in rows["mechanism"]], height=0.65)
        axes.set_yticks(places, [f"{NAMES[m]}: {s}" for m, s in zip(rows["mechanism"], rows["setting"], strict=True)])
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
