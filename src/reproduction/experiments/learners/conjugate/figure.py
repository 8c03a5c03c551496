"""Errors against the number of updates: of the last posterior, and of all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release.style import BLACK, BLUE, GREEN, VERMILION, CurveStyle, house_style, subplots
from reproduction.experiments.learners import conjugate as said
from reproduction.experiments.panels import legend, ticks

STYLES = {
    said.EACH: CurveStyle("noise at each update (review)", VERMILION, "--", "^"),
    said.AT_THE_END: CurveStyle("noise at the end (review)", BLACK, "-", "s"),
    said.BINARY: CurveStyle("binary tree", GREEN, ":", "D"),
    said.BEST: CurveStyle("best tree (ours)", BLUE, "-", "o"),
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
        title = (
            rf"$\varepsilon$ = {epsilon:g} for all updates together, pure, add or remove one record; "
            f"lines: closed form; markers: {params['repeats']} repeats ± 2 standard errors"
        )
        legend(figure, panels[0], 2, title)
        return figure


def _panel(axes: Axes, rows: pd.DataFrame) -> None:
    for name, style in STYLES.items():
        mine = rows[rows["mechanism"] == name].sort_values("updates", kind="stable")
        if not len(mine):
            continue
        axes.plot(mine["updates"], mine["exact"], color=style.colour, linestyle=style.dash)
        points: dict[str, Any] = {"color": style.colour, "marker": style.marker, "linestyle": "none", "elinewidth": 0.6}
        axes.errorbar(mine["updates"], mine["error"], yerr=2.0 * mine["standard_error"], **points)
        axes.plot([], [], **style.drawn())
    axes.set(xscale="log", yscale="log")
    low, high = rows["error"].min() / 1.5, rows["error"].max() * 1.5
    ticks(axes, sorted(rows["updates"].unique()), [y for y in (1, 2, 5, 10, 20, 50, 100) if low < y < high])
