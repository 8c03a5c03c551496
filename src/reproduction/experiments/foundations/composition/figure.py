"""What each claim promises of k releases against the least that holds, and what happens at a distance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release.style import BLACK, BLUE, CYCLE, GREEN, ORANGE, VERMILION, CurveStyle, house_style, subplots
from reproduction.experiments.foundations import composition as said
from reproduction.experiments.foundations.rows import where

LEVELS = ("blue", "vermilion", "green", "purple")
PANELS = 4  # levels ε with a panel of their own
CLAIMS = {
    said.BASIC: (BLUE, "-", "the sum (Proposition 2.28)"),
    said.ROOT: (VERMILION, "--", "Claim 2.30"),
    said.ADVANCED: (GREEN, "-.", "Claim 2.31"),
}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """A panel for each level, then the first failures of Claim 2.30, then δ against distance."""
    del params  # all of it is in the table
    levels = sorted(table.loc[table["claim"] == said.BASIC, "epsilon"].unique())[:PANELS]
    slacks = sorted(table.loc[table["claim"] == said.ROOT, "slack"].unique())
    slack = slacks[len(slacks) // 2]
    with house_style():
        columns = (len(levels) + 3) // 2
        figure, axes = subplots(columns, rows=2, height=5.2)
        for letter, panel, epsilon in zip("abcdef", axes, levels, strict=False):
            _claimed(panel, where(table, by="count", epsilon=epsilon, delta=0.0, slack=slack))
            panel.set_title(rf"({letter}) $\varepsilon={epsilon:g}$, $\delta'={slack:g}$")
        for panel in (axes[0], axes[columns]):
            panel.set_ylabel(r"level $\varepsilon'$ over $k\varepsilon$")
        _failures(axes[-2], table, "abcdef"[len(levels)])
        _distances(axes[-1], table, "abcdef"[len(levels) + 1])
        curves, lasting = (panel.get_legend_handles_labels() for panel in (axes[0], axes[-1]))
        handles, labels = (first + last for first, last in zip(curves, lasting, strict=True))
        figure.legend(handles, labels, loc="outside lower center", ncols=3)
        for unused in axes[len(levels) : -2]:
            unused.set_axis_off()
        return figure


def _claimed(axes: Axes, rows: pd.DataFrame) -> None:
    """Filled markers where Claim 2.30 is below what holds."""
    total = rows["count"] * rows["epsilon"]
    rows = rows.assign(claimed=rows["epsilon_claimed"] / total, exact=rows["epsilon_exact"] / total)
    for claim in (said.ROOT, said.ADVANCED):
        colour, dash, label = CLAIMS[claim]
        mine = where(rows, claim=claim)
        axes.loglog(mine["count"], mine["claimed"], color=colour, linestyle=dash, label=label)
    colour, dash, label = CLAIMS[said.BASIC]
    axes.axhline(1.0, color=colour, linestyle=dash, label=label)
    mine = where(rows, claim=said.ROOT)
    least = mine["exact"].where(mine["exact"] > 0)
    axes.loglog(mine["count"], least, "s-", color=BLACK, label="least that holds, where above 0")
    wrong = mine[mine["epsilon_claimed"] < mine["epsilon_exact"]]
    label = "Claim 2.30 is below it: false"
    axes.loglog(wrong["count"], wrong["claimed"], "X", color=VERMILION, markersize=7, label=label)
    axes.set(xlabel="releases $k$", ylim=(0.008, 30.0))


def _failures(axes: Axes, table: pd.DataFrame, letter: str) -> None:
    rows = where(table, by="slack", claim=said.FIRST_FAILURE)
    for (epsilon, mine), name in zip(rows.groupby("epsilon"), LEVELS[-rows["epsilon"].nunique() :], strict=False):
        style = CurveStyle(rf"$\varepsilon={epsilon:g}$", *CYCLE[name])
        axes.loglog(mine["slack"], mine["count"], **style.drawn())
    axes.set(xlabel=r"$\delta'$", ylabel="first $k$ that fails", title=f"({letter}) where Claim 2.30 fails")
    axes.legend()


def _distances(axes: Axes, table: pd.DataFrame, letter: str) -> None:
    """The true δ at d times the claimed level; a guarantee in the sense of Definition 2.15 would stay below its own."""
    for claim, label, colour, marker, dash in (
        (said.FAR[said.ADVANCED], "Claim 2.31, geometric noise", GREEN, "D", "-."),
        (said.AT_DISTANCE, "Gaussian noise", ORANGE, "P", "-"),
        (said.HISTOGRAM, "Example 5.2", BLUE, "o", "--"),
    ):
        rows = where(table, by="distance", claim=claim).drop_duplicates("distance")
        label = rf"({letter}) {label}, $\varepsilon={rows['epsilon'].iloc[0]:g}$"
        axes.loglog(rows["distance"], rows["delta_true"], color=colour, marker=marker, linestyle=dash, label=label)
    axes.set(
        xlabel="distance $d$",
        ylabel=r"true $\delta$ at level $d\varepsilon'$",
        title=f"({letter}) no $\\delta<1$ at every distance",
        ylim=(1e-8, 4.0),
    )
