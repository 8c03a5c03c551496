"""What the best of many runs spends against γ, and test errors at the same total ε."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release.style import BLACK, BLUE, CYCLE, GREY, VERMILION, house_style, scientific, subplots
from reproduction.experiments.learners import tuning as said
from reproduction.experiments.learners.spread import spread

LEARNED = {
    said.UNTUNED: (GREY, "-.", "v", "(b) one of the lengths, at random"),
    said.TUNED: (BLUE, "-", "o", "(b) tuned, at its full price"),
    said.FREE: (VERMILION, "--", "^", "(b) tuned as if free (spends more)"),
    said.BEST: (BLACK, ":", "s", "(b) the best length, were it known"),
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
    for (epsilon, mine), style in zip(rows.groupby("epsilon_run"), CYCLE.values(), strict=False):
        mine = mine.sort_values("gamma", kind="stable")
        colour, dash, marker = style
        axes.semilogx(
            mine["gamma"],
            mine["epsilon_total"] / mine["epsilon_run"],
            color=colour,
            linestyle=dash,
            marker=marker,
            label=rf"(a) largest found, $\varepsilon$ = {epsilon:g}",
        )
    axes.axhline(3.0, color=GREY, linewidth=3.0, alpha=0.5, zorder=1, label=r"(a) the bound, 3$\varepsilon$")
    axes.axhline(1.0, color=BLACK, linewidth=0.8, linestyle=":", label="(a) free")
    axes.set(
        xlabel=r"$\gamma$; there are $1/\gamma$ runs on average",
        ylabel=r"spent by the best run, over $\varepsilon$ of one",
        title=r"(a) $\varepsilon$-DP runs, three outcomes",
        ylim=(0.0, 3.3),
    )


def _errors(axes: Axes, rows: pd.DataFrame, params: Mapping[str, Any]) -> None:
    for name, (colour, dash, marker, label) in LEARNED.items():
        mine = rows[rows["mechanism"] == name].sort_values("bound", kind="stable")
        axes.errorbar(
            mine["bound"],
            mine["error"],
            yerr=2.0 * mine["standard_error"],
            color=colour,
            linestyle=dash,
            marker=marker,
            capsize=2.0,
            elinewidth=0.7,
            label=label,
        )
    axes.set_xscale("log")
    axes.set_xticks(sorted(set(rows["bound"])), [f"{level:g}" for level in sorted(set(rows["bound"]))])
    axes.minorticks_off()
    axes.set(
        xlabel=f"$\\varepsilon$ that is promised, $\\delta$ = {scientific(params['delta'])},\none record more or less",
        ylabel=f"test error,\n{spread(rows)}",
        title=rf"(b) logistic regression, n = {params['n']}, $\gamma$ = {params['gamma']:g}",
    )
