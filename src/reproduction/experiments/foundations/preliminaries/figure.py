"""Two bounds on δ against what they bound, and two ways to use Rényi levels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release.style import BLACK, BLUE, CYCLE, GREEN, VERMILION, CurveStyle, house_style, subplots
from reproduction.experiments.foundations import preliminaries as said
from reproduction.experiments.foundations.rows import where

CURVES = ("blue", "purple", "vermilion", "green")


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Four panels."""
    del params  # all of it is in the table
    with house_style():
        figure, axes = subplots(2, rows=2, height=5.6)
        _bounded(axes[0], table, said.SUFFICIENT)
        axes[0].set(xlabel=r"$P(Z>\varepsilon)$", ylabel=r"$\delta(\varepsilon)$", title="(a) a sufficient condition")
        _bounded(axes[1], table, said.ADAPTIVE)
        axes[1].set(
            xlabel=r"$\delta_A+\delta_B$", ylabel=r"$\delta(\varepsilon_A+\varepsilon_B)$", title="(b) two releases"
        )
        _orders(axes[2], table)
        _releases(axes[3], table)
        return figure


def _bounded(axes: Axes, table: pd.DataFrame, statement: str) -> None:
    rows = where(table, statement=statement)
    axes.plot(rows["printed"], rows["exact"], "o", color=BLUE, markersize=2, alpha=0.5, rasterized=True)
    top = float(rows["printed"].max())
    axes.plot([0.0, top], [0.0, top], "--", color=BLACK, label="bound")
    axes.legend(loc="upper left")


def _orders(axes: Axes, table: pd.DataFrame) -> None:
    cases = where(table, by="at", statement=said.GRID).groupby("case", sort=False)
    for (case, mine), name in zip(cases, CURVES, strict=True):
        axes.semilogx(mine["at"], mine["exact"] / mine["printed"], **CurveStyle(str(case), *CYCLE[name]).drawn())
    axes.set(xlabel="releases", ylabel="level over that of all orders", title="(c) thirteen orders")
    axes.legend()


def _releases(axes: Axes, table: pd.DataFrame) -> None:
    for statement, style, colour in ((said.SUM, "^--", VERMILION), (said.WHOLE, "D-.", GREEN)):
        rows = where(table, by="at", statement=statement)
        axes.loglog(rows["at"], rows["printed"], style, color=colour, label=statement.removeprefix("releases, "))
    axes.loglog(rows["at"], rows["exact"], "o-", color=BLUE, label="least level")
    axes.set(xlabel="releases", ylabel=r"$\varepsilon$", title="(d) Gaussian releases")
    axes.legend()
