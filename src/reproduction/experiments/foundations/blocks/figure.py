"""Sensitivity against the number of blocks, and the error with its two parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release.style import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    VERMILION,
    CurveStyle,
    Dash,
    house_style,
    subplots,
    two_errors,
)
from reproduction.experiments.foundations import blocks as said

FUNCTIONS = {said.LARGEST: (VERMILION, "--", "^"), said.MEDIAN: (BLUE, ":", "o"), said.MEAN: (BLACK, "-", "s")}
AGGREGATORS: dict[str, tuple[str, Dash, str, str]] = {
    said.MEAN: (BLACK, "-", "s", "mean of blocks, Laplace"),
    said.MEDIAN: (BLUE, "--", "o", "median, exponential mechanism"),
    said.SMOOTH: (GREEN, "-.", "D", "median, smooth sensitivity"),
}
PANELS = 2  # levels that are shown, the first ones


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """κ on the left, then a panel for each of the first levels. Bars are two standard errors."""
    levels = params["epsilons"][:PANELS]
    with house_style():
        figure, (left, *others) = subplots(1 + len(levels), height=3.5)
        _sensitivity(left, table[table["view"] == said.SENSITIVITY])
        rows = table[table["view"] == said.ERROR]
        for axes, letter, epsilon in zip(others, "bc", levels, strict=False):
            _errors(axes, rows[rows["epsilon"] == epsilon])
            axes.set_title(rf"({letter}) $\varepsilon={epsilon:g}$, $n={params['n']}$")
            axes.set_ylim(rows["error"].min() / 30.0, rows["error"].max() * 2.0)
        title = f"panels (b), (c): means of {params['repeats']} releases, ± 2 standard errors"
        handles, labels = others[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3, title=title)
        return figure


def _sensitivity(axes: Axes, rows: pd.DataFrame) -> None:
    for name, (colour, dash, marker) in FUNCTIONS.items():
        mine = rows[rows["function"] == name].sort_values("blocks", kind="stable")
        axes.loglog(mine["blocks"], mine["kappa"], color=colour, linestyle=dash, marker=marker, label=f"f = {name}")
    mine = rows[rows["function"] == said.MEAN].sort_values("blocks", kind="stable")
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
    for name, (colour, dash, marker, label) in AGGREGATORS.items():
        mine = rows[rows["aggregator"] == name].sort_values("blocks", kind="stable")
        two_errors(axes, mine["blocks"], mine["error"], mine["standard_error"], CurveStyle(label, colour, dash, marker))
    for name, (colour, told) in {
        said.MEAN: (BLACK, "mean of blocks without noise"),
        said.MEDIAN: (BLUE, "median of blocks without noise"),
    }.items():
        mine = rows[(rows["aggregator"] == name) & (rows["blocks"] > 1)].sort_values("blocks", kind="stable")
        axes.loglog(mine["blocks"], mine["block_error"], color=colour, linewidth=0.8, linestyle=":", label=told)
    axes.set(xlabel="number of blocks $k$", ylabel="mean distance from $f(X)$", xscale="log", yscale="log")
