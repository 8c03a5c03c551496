"""Test error against ε: a row of panels a loss, a panel a data set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release.style import BLUE, GREY, ORANGE, PURPLE, VERMILION, house_style, scientific, subplots
from reproduction.experiments.learners import svm as said
from reproduction.experiments.learners.spread import spread

STYLES = {
    said.OUTPUT: (VERMILION, "--", "^"),
    said.GAUSSIAN: (PURPLE, ":", "v"),
    said.PRINTED: (ORANGE, "-.", "D"),
    said.TIGHT: (BLUE, "-", "o"),
}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Means with two standard errors to either side."""
    rows = table[table["view"] == said.ERRORS]
    sets, losses = list(dict.fromkeys(rows["dataset"])), list(dict.fromkeys(rows["loss"]))
    with house_style():
        figure, axes = subplots(
            len(sets),
            rows=len(losses),
            height=2.2 * len(losses) + 0.9,
            sharex=True,
            sharey="col",
        )
        panels = [(loss, name) for loss in losses for name in sets]
        for axis, letter, (loss, name) in zip(axes, "abcdefghijklmnopqrstuvwxyz", panels, strict=False):
            mine = rows[(rows["loss"] == loss) & (rows["dataset"] == name)]
            _panel(axis, mine)
            one = mine.iloc[0]
            axis.set_title(f"({letter}) {name}, {loss}\n$n$ = {one['n']}, $d$ = {one['dimension']}")
        for axis in axes[-len(sets) :]:
            axis.set_xlabel(r"privacy level $\varepsilon$")
        for axis in axes[:: len(sets)]:
            axis.set_ylabel("test error")
        handles, labels = axes[0].get_legend_handles_labels()
        title = (
            rf"replace one record, $\Lambda$ = {params['regularisation']:g}; Gaussian noise: "
            rf"$\delta$ = {scientific(params['delta'])}; {spread(rows[rows['epsilon'].notna()])}"
        )
        figure.legend(handles, labels, loc="outside lower center", ncols=3, title=title)
        return figure


def _panel(axis: Axes, rows: pd.DataFrame) -> None:
    plain = float(rows.loc[rows["mechanism"] == said.PLAIN, "error"].iloc[0])
    axis.axhline(plain, color=GREY, linewidth=2.5, zorder=1, label="without privacy")
    for mechanism, (colour, dash, marker) in STYLES.items():
        mine = rows[rows["mechanism"] == mechanism].sort_values("epsilon", kind="stable")
        axis.errorbar(
            mine["epsilon"],
            mine["error"],
            yerr=2.0 * mine["standard_error"],
            color=colour,
            linestyle=dash,
            marker=marker,
            elinewidth=0.7,
            label=mechanism,
        )
    axis.set_xscale("log")
