"""What was printed and what was proved of the functional mechanism, and of all others the share that was found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release.style import BLACK, BLUE, GREY, SMALLEST, VERMILION, house_style, subplots
from reproduction.experiments.learners import sensitivity as said
from reproduction.experiments.panels import legend

TICKS = [digit * 10.0**power for power in range(-1, 5) for digit in (1, 2, 5)]


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Two panels of the functional mechanism, one of the rest."""
    with house_style():
        figure, (left, upper, middle, lower) = subplots(2, rows=2, height=4.9)
        grid = upper.get_gridspec()
        assert grid is not None
        upper.remove()
        lower.remove()
        right = figure.add_subplot(grid[:, 1])
        _against_dimension(left, table[table["learner"] == said.LINEAR], "(a) functional, linear")
        _against_dimension(middle, table[table["learner"] == said.LOGISTIC], "(b) functional, logistic")
        _shares(right, table)
        title = (
            "(a), (b): one record replaced; (c): R one record replaced, A one more or less;\n"
            f"searches from {params['starts']} random pairs each, enumerations of all small data sets"
        )
        legend(figure, left, 3, title)
        return figure


def _against_dimension(axes: Axes, rows: pd.DataFrame, title: str) -> None:
    mine = rows[rows["relation"] == said.REPLACED].sort_values("dimension", kind="stable")
    axes.plot(mine["dimension"], mine["printed"], color=VERMILION, linestyle="--", marker="^", label="printed")
    axes.plot(mine["dimension"], mine["bound"], color=BLUE, marker="o", label="proved here")
    axes.plot(mine["dimension"], mine["found"], color=BLACK, marker="x", linestyle="none", zorder=4, label="found")
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    axes.set_yticks([tick for tick in TICKS if low <= tick <= high])
    axes.minorticks_off()
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_xticks(sorted(mine["dimension"].unique()))
    axes.set(xlabel="number of features $d$", ylabel=r"$\Delta$ of the coefficients, in $L_1$", title=title)


def _shares(axes: Axes, table: pd.DataFrame) -> None:
    """Largest share of the bound by learner, a dot a row; those of the functional mechanism are in the other panels."""
    rows = table[~table["learner"].isin([said.LINEAR, said.LOGISTIC, said.TAYLOR])]
    names = [_called(row) for row in rows.itertuples()]
    shares = (rows["found"] / rows["bound"]).to_numpy()
    places = range(len(names), 0, -1)
    axes.hlines(places, 0.0, shares, color=GREY, linewidth=0.8)
    axes.plot(shares, places, color=BLACK, marker="o", linestyle="none", markersize=3)
    axes.axvline(1.0, color=BLUE, linewidth=0.8)
    axes.set_yticks(list(places), names, fontsize=SMALLEST)
    axes.set_ylim(0.3, len(names) + 0.7)
    axes.set_xlim(0.0, 1.05)
    axes.grid(visible=False, axis="y")
    axes.set(xlabel="found / proved bound", title="(c) the other learners")


def _called(row: Any) -> str:
    size = "" if pd.isna(row.n) else f", n = {_power(int(row.n))}"
    letter = "m" if row.learner in (said.TABLES, said.COUNTS) else "d"
    short = {said.REPLACED: " (R)", said.ADDED: " (A)"}.get(row.relation, " (R, A)")
    return f"{row.learner}, {letter} = {row.dimension}{size}{short}"


def _power(n: int) -> str:
    return f"$10^{{{len(str(n)) - 1}}}$" if n >= 1000 else str(n)
