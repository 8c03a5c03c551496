"""Sensitivity against the number of blocks, and the error with its two parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release.style import BLUE, CYCLE, GREY, CurveStyle, house_style, subplots, two_errors
from reproduction.experiments.foundations import blocks as said
from reproduction.experiments.foundations.rows import where

FUNCTIONS = {
    said.LARGEST: CurveStyle(f"f = {said.LARGEST}", *CYCLE["vermilion"]),
    said.MEDIAN: CurveStyle(f"f = {said.MEDIAN}", BLUE, ":", "o"),
    said.MEAN: CurveStyle(f"f = {said.MEAN}", *CYCLE["black"]),
}
AGGREGATORS = {
    said.MEAN: CurveStyle("mean of blocks, Laplace", *CYCLE["black"]),
    said.MEDIAN: CurveStyle("median, exponential mechanism", BLUE, "--", "o"),
    said.SMOOTH: CurveStyle("median, smooth sensitivity", *CYCLE["green"]),
}
PANELS = 2  # levels that are shown, the first ones


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """κ on the left, then a panel for each of the first levels. Bars are two standard errors."""
    levels = params["epsilons"][:PANELS]
    with house_style():
        figure, (left, *panels) = subplots(1 + len(levels), height=3.5)
        _sensitivity(left, where(table, view=said.SENSITIVITY))
        rows = where(table, view=said.ERROR)
        for axes, letter, epsilon in zip(panels, "bc", levels, strict=False):
            _errors(axes, where(rows, epsilon=epsilon))
            axes.set_title(rf"({letter}) $\varepsilon={epsilon:g}$, $n={params['n']}$")
            axes.set_ylim(rows["error"].min() / 30.0, rows["error"].max() * 2.0)
        title = f"panels (b), (c): means of {params['repeats']} releases, ± 2 standard errors"
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3, title=title)
        return figure


def _sensitivity(axes: Axes, rows: pd.DataFrame) -> None:
    for name, style in FUNCTIONS.items():
        mine = where(rows, by="blocks", function=name)
        axes.loglog(mine["blocks"], mine["kappa"], **style.drawn())
    mine = where(rows, by="blocks", function=said.MEAN)
    axes.loglog(mine["blocks"], mine["bound"], color=GREY, linewidth=4.0, alpha=0.4, zorder=1, label="$(b-a)/k$")
    ticks = sorted(rows["blocks"].unique())
    axes.set_xticks(ticks, [str(k) for k in ticks])
    axes.minorticks_off()
    axes.set_yticks([1.0, 0.5, 1 / 3, 1 / 6], ["1", "1/2", "1/3", "1/6"])
    axes.set(
        xlabel="number of blocks $k$",
        ylabel="sensitivity of the mean over blocks",
        title="(a) all sets of 6 records in [0, 1]",
    )
    axes.legend()


def _errors(axes: Axes, rows: pd.DataFrame) -> None:
    for name, style in AGGREGATORS.items():
        mine = where(rows, by="blocks", aggregator=name)
        two_errors(axes, mine["blocks"], mine["error"], mine["standard_error"], style)
    for name in (said.MEAN, said.MEDIAN):
        mine = where(rows[rows["blocks"] > 1], by="blocks", aggregator=name)
        look = {"color": AGGREGATORS[name].colour, "linewidth": 0.8, "linestyle": ":"}
        axes.loglog(mine["blocks"], mine["block_error"], **look, label=f"{name} of blocks without noise")
    axes.set(xlabel="number of blocks $k$", ylabel="mean distance from $f(X)$", xscale="log", yscale="log")
