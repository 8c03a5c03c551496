"""Held-out error against ε, a panel a data set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release import style
from dpsampling.release.style import CurveStyle
from reproduction.experiments.learners import linear as said
from reproduction.experiments.panels import legend

STYLES = {
    said.FUNCTIONAL_PRINTED: CurveStyle("functional mechanism, printed Δ (R)", style.VERMILION, "--", "^"),
    said.FUNCTIONAL_TIGHT: CurveStyle("functional mechanism, proved Δ (R)", style.ORANGE, "-", "D"),
    said.FUNCTIONAL_ADDED: CurveStyle("functional mechanism, proved Δ (A)", style.ORANGE, ":", "v"),
    said.ADA_SSP_PRINTED: CurveStyle("AdaSSP, printed noise (A)", style.SKY, "--", "X"),
    said.ADA_SSP_REPLACED: CurveStyle("AdaSSP, exact noise (R)", style.BLUE, "-", "o"),
    said.ADA_SSP_EXACT: CurveStyle("AdaSSP, exact noise (A)", style.GREEN, ":", "s"),
}
TICKS = [digit * 10.0**power for power in range(-6, 2) for digit in (1, 2, 3, 5)]
LINES = {
    said.CONSTANT: CurveStyle("a constant (not private)", style.GREY, "-.", ""),
    said.PLAIN: CurveStyle("least squares (not private)", style.BLACK, "-", ""),
}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Means with two standard errors to either side."""
    names = list(table["dataset"].unique())
    with style.house_style():
        figure, panels = style.subplots(len(names), height=4.2)
        for axes, letter, name in zip(panels, "abcdef", names, strict=False):
            _panel(axes, table[table["dataset"] == name], letter)
        panels[0].set_ylabel("mean squared error, held out")
        title = (
            f"R: a row replaced, A: one more; $\\delta$ = {style.scientific(params['delta'])} of AdaSSP, 0 of the "
            f"others; {params['repeats']} splits, bands: 2 standard errors"
        )
        legend(figure, panels[0], 2, title)
        return figure


def _panel(axes: Axes, rows: pd.DataFrame, letter: str) -> None:
    first = rows.iloc[0]
    for mechanism, look in LINES.items():
        (level,) = rows.loc[rows["mechanism"] == mechanism, "mse"]
        axes.axhline(level, linewidth=1.0, **look.drawn())
    for mechanism, look in STYLES.items():
        mine = rows[rows["mechanism"] == mechanism].sort_values("epsilon", kind="stable")
        mean, error = mine["mse"], 2.0 * mine["sd"] / mine["repeats"] ** 0.5
        axes.plot(mine["epsilon"], mean, **look.drawn())
        axes.fill_between(mine["epsilon"], mean - error, mean + error, color=look.colour, alpha=0.2, linewidth=0)
    axes.set(xscale="log", yscale="log", xlabel=r"privacy level $\varepsilon$")
    axes.set_title(f"({letter}) {first['title']}, n = {first['n']}, d = {first['dimension']}")
    axes.xaxis.set_major_formatter("{x:g}")
    low, high = axes.get_ylim()
    axes.set_yticks([tick for tick in TICKS if low <= tick <= high])
    axes.minorticks_off()
    axes.yaxis.set_major_formatter("{x:g}")
