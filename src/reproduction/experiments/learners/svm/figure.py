"""Test error against ε: a row of panels a loss, a panel a data set."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from string import ascii_lowercase
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release import style
from dpsampling.release.style import CurveStyle
from reproduction.experiments.learners import svm as said
from reproduction.experiments.learners.spread import spread
from reproduction.experiments.panels import curve, edges, legend

STYLES = (
    CurveStyle(said.OUTPUT, style.VERMILION, "--", "^"),
    CurveStyle(said.GAUSSIAN, style.PURPLE, ":", "v"),
    CurveStyle(said.PRINTED, style.ORANGE, "-.", "D"),
    CurveStyle(said.TIGHT, style.BLUE, "-", "o"),
)


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Means with two standard errors to either side."""
    rows = table[table["view"] == said.ERRORS]
    sets, losses = list(dict.fromkeys(rows["dataset"])), list(dict.fromkeys(rows["loss"]))
    height = 2.2 * len(losses) + 0.9
    with style.house_style():
        figure, panels = style.subplots(len(sets), rows=len(losses), height=height, sharex=True, sharey="col")
        for axes, letter, (loss, name) in zip(panels, ascii_lowercase, product(losses, sets), strict=False):
            mine = rows[(rows["loss"] == loss) & (rows["dataset"] == name)]
            _panel(axes, mine)
            first = mine.iloc[0]
            axes.set_title(f"({letter}) {name}, {loss}\n$n$ = {first['n']}, $d$ = {first['dimension']}")
        edges(panels, len(sets), r"privacy level $\varepsilon$", "test error")
        title = (
            rf"replace one record, $\Lambda$ = {params['regularisation']:g}; Gaussian noise: "
            rf"$\delta$ = {style.scientific(params['delta'])}; {spread(rows[rows['epsilon'].notna()])}"
        )
        legend(figure, panels[0], 3, title)
        return figure


def _panel(axes: Axes, rows: pd.DataFrame) -> None:
    plain = float(rows.loc[rows["mechanism"] == said.PLAIN, "error"].iloc[0])
    axes.axhline(plain, color=style.GREY, linewidth=2.5, zorder=1, label="without privacy")
    for look in STYLES:
        curve(axes, rows[rows["mechanism"] == look.label], "epsilon", "error", look, elinewidth=0.7)
    axes.set_xscale("log")
