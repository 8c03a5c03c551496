"""What the best of many runs spends against γ, and test errors at the same total ε."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release.style import BLACK, BLUE, CYCLE, GREY, VERMILION, CurveStyle, house_style, scientific, subplots
from reproduction.experiments.learners import tuning as said
from reproduction.experiments.learners.spread import spread
from reproduction.experiments.panels import curve, ticks

LEARNED = {
    said.UNTUNED: CurveStyle("(b) one of the lengths, at random", GREY, "-.", "v"),
    said.TUNED: CurveStyle("(b) tuned, at its full price", BLUE, "-", "o"),
    said.FREE: CurveStyle("(b) tuned as if free (spends more)", VERMILION, "--", "^"),
    said.BEST: CurveStyle("(b) the best length, were it known", BLACK, ":", "s"),
}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Prices on the left, errors on the right. Bars are two standard errors."""
    with house_style():
        figure, (left, right) = subplots(2, height=3.5)
        _prices(left, table[table["view"] == said.SEARCHED])
        _errors(right, table[table["view"] == said.TRAINED], params)
        figure.legend(loc="outside lower center", ncols=3)
        return figure


def _prices(axes: Axes, rows: pd.DataFrame) -> None:
    for (epsilon, mine), look in zip(rows.groupby("epsilon_run"), CYCLE.values(), strict=False):
        mine = mine.sort_values("gamma", kind="stable")
        style = CurveStyle(rf"(a) largest found, $\varepsilon$ = {epsilon:g}", *look)
        axes.semilogx(mine["gamma"], mine["epsilon_total"] / mine["epsilon_run"], **style.drawn())
    axes.axhline(3.0, color=GREY, linewidth=3.0, alpha=0.5, zorder=1, label=r"(a) the bound, 3$\varepsilon$")
    axes.axhline(1.0, color=BLACK, linewidth=0.8, linestyle=":", label="(a) free")
    axes.set(
        xlabel=r"$\gamma$; there are $1/\gamma$ runs on average",
        ylabel=r"spent by the best run, over $\varepsilon$ of one",
        title=r"(a) $\varepsilon$-DP runs, three outcomes",
        ylim=(0.0, 3.3),
    )


def _errors(axes: Axes, rows: pd.DataFrame, params: Mapping[str, Any]) -> None:
    for name, style in LEARNED.items():
        curve(axes, rows[rows["mechanism"] == name], "bound", "error", style, capsize=2.0, elinewidth=0.7)
    axes.set_xscale("log")
    ticks(axes, sorted(set(rows["bound"])))
    axes.set(
        xlabel=f"$\\varepsilon$ that is promised, $\\delta$ = {scientific(params['delta'])},\none record more or less",
        ylabel=f"test error,\n{spread(rows)}",
        title=rf"(b) logistic regression, n = {params['n']}, $\gamma$ = {params['gamma']:g}",
    )
