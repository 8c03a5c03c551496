"""Limits of the temperature, what Theorem 3 promises, the two terms of the cost, and relaxation times."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release.style import BLACK, BLUE, GREEN, PURPLE, VERMILION, Dash, house_style, subplots
from reproduction.experiments.posteriors import tempering as said
from reproduction.experiments.posteriors.rows import rows_at

CHAINS: dict[str, tuple[str, str, Dash]] = {
    said.ONE_PEAK: (VERMILION, "^", "--"),
    said.TWO_PEAKS: (BLUE, "o", "-"),
    said.COUPLED: (GREEN, "D", "-."),
    said.SKEWED: (PURPLE, "v", ":"),
}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Four panels."""
    del params  # all of it is in the table
    with house_style():
        figure, panels = subplots(2, rows=2, height=5.6)
        for axes, draw in zip(panels, (_limits, _levels, _terms, _relaxation), strict=True):
            draw(axes, table)
        return figure


def _limits(axes: Axes, table: pd.DataFrame) -> None:
    for statement, colour, style, label in (
        (said.UNIFORM, VERMILION, "^--", "from the uniform law"),
        (said.TRUE, BLUE, "o-", "from the posterior"),
        (said.PEAK, GREEN, "D-.", "mass near the mode"),
    ):
        rows = rows_at(table, statement)
        axes.semilogx(rows["at"], rows["exact"], style, color=colour, label=label)
    axes.set(xlabel=r"$\varepsilon$", ylabel="total variation; mass", title="(a) limits in $\\varepsilon$")
    axes.legend()


def _levels(axes: Axes, table: pd.DataFrame) -> None:
    for case, colour, style in ((said.COINS, BLUE, "o-"), (said.DENSITIES, VERMILION, "^--")):
        rows = rows_at(table, said.COST, case)
        axes.loglog(rows["at"], rows["exact"], style, color=colour, label=case)
    rows = rows_at(table, said.COST)
    axes.loglog(rows["at"], 4.0 * rows["at"], ":", color=BLACK, label="$4B$, Theorem 3")
    axes.loglog(rows["at"], 2.0 * rows["at"], "-.", color=GREEN, label="$2B$, discrete records")
    axes.set(xlabel="$B$", ylabel="level of one draw", title="(b) Theorem 3")
    axes.legend()


def _terms(axes: Axes, table: pd.DataFrame) -> None:
    for statement, colour, style, label in (
        (said.LIKELIHOOD, VERMILION, "^--", "likelihoods"),
        (said.PARTITION, BLUE, "o-", "partition functions"),
    ):
        rows = rows_at(table, statement)
        axes.semilogx(rows["at"], rows["exact"] / rows["printed"], style, color=colour, label=label)
    axes.set(xlabel="records, all 1", ylabel=r"part of the cost, over $\Delta$", title="(c) two terms", ylim=(0.0, 1.1))
    axes.legend(loc="lower right")


def _relaxation(axes: Axes, table: pd.DataFrame) -> None:
    for case, (colour, marker, dash) in CHAINS.items():
        rows = rows_at(table, said.RELAXED, case)
        axes.loglog(rows["at"], rows["exact"], color=colour, marker=marker, linestyle=dash, label=case)
    axes.set(xlabel="temperature $T$", ylabel="relaxation time, steps", title="(d) does heat mix?", ylim=(None, 3e7))
    axes.legend(loc="upper right")
