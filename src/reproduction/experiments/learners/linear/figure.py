"""Held-out error against ε, a panel a data set."""

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
    ORANGE,
    SKY,
    VERMILION,
    house_style,
    scientific,
    subplots,
)
from reproduction.experiments.learners import linear as said

STYLES = {
    said.FUNCTIONAL_PRINTED: (VERMILION, "--", "^", "functional mechanism, printed Δ (R)"),
    said.FUNCTIONAL_TIGHT: (ORANGE, "-", "D", "functional mechanism, proved Δ (R)"),
    said.FUNCTIONAL_ADDED: (ORANGE, ":", "v", "functional mechanism, proved Δ (A)"),
    said.ADA_SSP_PRINTED: (SKY, "--", "X", "AdaSSP, printed noise (A)"),
    said.ADA_SSP_REPLACED: (BLUE, "-", "o", "AdaSSP, exact noise (R)"),
    said.ADA_SSP_EXACT: (GREEN, ":", "s", "AdaSSP, exact noise (A)"),
}
TICKS = [digit * 10.0**power for power in range(-6, 2) for digit in (1, 2, 3, 5)]
LINES = {
    said.CONSTANT: (GREY, "-.", "a constant (not private)"),
    said.PLAIN: (BLACK, "-", "least squares (not private)"),
}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Means with two standard errors to either side."""
    names = list(table["dataset"].unique())
    with house_style():
        figure, panels = subplots(len(names), height=4.2)
        for axes, letter, name in zip(panels, "abcdef", names, strict=False):
            _panel(axes, table[table["dataset"] == name], letter)
        panels[0].set_ylabel("mean squared error, held out")
        handles, labels = panels[0].get_legend_handles_labels()
        title = (
            rf"R: a row replaced, A: one more; $\delta$ = {scientific(params['delta'])} of AdaSSP, 0 of the others; "
            f"{params['repeats']} splits, bands: 2 standard errors"
        )
        figure.legend(handles, labels, loc="outside lower center", ncols=2, title=title)
        return figure


def _panel(axes: Axes, rows: pd.DataFrame, letter: str) -> None:
    first = rows.iloc[0]
    for mechanism, (colour, dash, label) in LINES.items():
        (level,) = rows.loc[rows["mechanism"] == mechanism, "mse"]
        axes.axhline(level, color=colour, linestyle=dash, linewidth=1.0, label=label)
    for mechanism, (colour, dash, marker, label) in STYLES.items():
        mine = rows[rows["mechanism"] == mechanism].sort_values("epsilon", kind="stable")
        error = 2.0 * mine["sd"] / mine["repeats"] ** 0.5
        axes.plot(mine["epsilon"], mine["mse"], color=colour, linestyle=dash, marker=marker, label=label)
        axes.fill_between(
            mine["epsilon"], mine["mse"] - error, mine["mse"] + error, color=colour, alpha=0.2, linewidth=0
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    low, high = axes.get_ylim()
    axes.set_yticks([tick for tick in TICKS if low <= tick <= high])
    axes.minorticks_off()
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set(
        xlabel=r"privacy level $\varepsilon$",
        title=f"({letter}) {first['title']}, n = {first['n']}, d = {first['dimension']}",
    )
