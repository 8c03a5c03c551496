"""Errors against the number of updates: of the last posterior, and of all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release.style import BLACK, BLUE, GREEN, VERMILION, house_style, subplots
from reproduction.experiments.learners import conjugate as said

STYLES = {
    said.EACH: (VERMILION, "--", "^", "noise at each update (review)"),
    said.AT_THE_END: (BLACK, "-", "s", "noise at the end (review)"),
    said.BINARY: (GREEN, ":", "D", "binary tree"),
    said.BEST: (BLUE, "-", "o", "best tree (ours)"),
}
TITLES = {said.FINAL: "(a) the last posterior", said.RUNNING: "(b) all $T$ posteriors"}
SHOWN = 1.0  # the ε that is shown, or the nearest one


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Two panels of one ε; markers are measured, lines the closed form. Bars are two standard errors."""
    epsilon = min(params["epsilons"], key=lambda level: abs(level - SHOWN))
    rows = table[table["epsilon"] == epsilon]
    with house_style():
        figure, panels = subplots(2, height=3.5, sharey=True)
        for axes, (view, title) in zip(panels, TITLES.items(), strict=True):
            _panel(axes, rows[rows["view"] == view])
            axes.set(xlabel="number of updates $T$", title=title)
        panels[0].set_ylabel("root mean square error of a count")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(
            handles,
            labels,
            loc="outside lower center",
            ncols=2,
            title=rf"$\varepsilon$ = {epsilon:g} for all updates together, pure, add or remove one record; "
            f"lines: closed form; markers: {params['repeats']} repeats ± 2 standard errors",
        )
        return figure


def _panel(axes: Axes, rows: pd.DataFrame) -> None:
    for name, (colour, dash, marker, label) in STYLES.items():
        mine = rows[rows["mechanism"] == name].sort_values("updates", kind="stable")
        if not len(mine):
            continue
        axes.plot(mine["updates"], mine["exact"], color=colour, linestyle=dash)
        axes.errorbar(
            mine["updates"],
            mine["error"],
            yerr=2.0 * mine["standard_error"],
            color=colour,
            marker=marker,
            linestyle="none",
            elinewidth=0.6,
        )
        axes.plot([], [], color=colour, linestyle=dash, marker=marker, label=label)
    axes.set(xscale="log", yscale="log")
    ticks = sorted(rows["updates"].unique())
    axes.set_xticks(ticks, [f"{t:g}" for t in ticks])
    axes.minorticks_off()
    levels = [
        level for level in (1, 2, 5, 10, 20, 50, 100) if rows["error"].min() / 1.5 < level < rows["error"].max() * 1.5
    ]
    axes.set_yticks(levels, [f"{level:g}" for level in levels])
