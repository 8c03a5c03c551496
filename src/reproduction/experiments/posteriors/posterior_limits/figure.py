"""Posteriors against the laws that Theorems 4 and 5 print, draws, and where Lemma 1 ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release.style import BLUE, GREEN, PURPLE, VERMILION, Dash, house_style, subplots
from reproduction.experiments.posteriors import posterior_limits as said

STYLES: dict[str, tuple[str, str, Dash]] = {
    said.POSTERIOR: (BLUE, "o", "-"),
    said.TEMPERED: (VERMILION, "^", "--"),
    said.LAPLACE: (GREEN, "D", "-."),
}
PROBABILITIES: tuple[tuple[str, str, Dash], ...] = ((PURPLE, "v", ":"), (VERMILION, "^", "--"), (BLUE, "o", "-"))


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Variance, distance, draws and divergence, each against N."""
    del params  # all of it is in the table
    with house_style():
        figure, axes = subplots(2, rows=2, height=5.4)
        _limits(axes[0], table, said.SPREAD)
        axes[0].set(ylabel=r"$N\,\mathrm{Var}(p\,|\,X)\,I$", title="(a) variance of the posterior")
        _distances(axes[1], table)
        _limits(axes[2], table, said.DRAW)
        axes[2].set(ylabel=r"$N\,E(\tilde p-p)^2\,I$", title="(c) squared error of one draw")
        _divergence(axes[3], table)
        return figure


def _limits(axes: Axes, table: pd.DataFrame, statement: str) -> None:
    """Draw what it is, and dotted what is printed."""
    rows = table[table["statement"] == statement]
    for case, mine in rows.groupby("case"):
        colour, marker, dash = STYLES[str(case)]
        axes.semilogx(mine["n"], mine["exact"], color=colour, marker=marker, linestyle=dash, label=case)
        axes.axhline(mine["printed"].iloc[0], color=colour, linestyle=":", linewidth=1.0)
    axes.plot([], [], color="black", linestyle=":", linewidth=1.0, label="limit as printed")
    axes.set_xlabel("$N$")
    axes.legend()


def _distances(axes: Axes, table: pd.DataFrame) -> None:
    for case in (said.POSTERIOR, said.TEMPERED):
        colour, marker, dash = STYLES[case]
        look = {"color": colour, "marker": marker, "linestyle": dash}
        for statement, filled, label in (
            (said.DISTANCE_PRINTED, colour, "as printed"),
            (said.DISTANCE_RIGHT, "white", "corrected"),
        ):
            rows = table[(table["statement"] == statement) & (table["case"] == case)]
            axes.loglog(rows["n"], rows["exact"], **look, markerfacecolor=filled, label=f"{case}, {label}")
    axes.set(xlabel="$N$", ylabel="total variation", title="(b) distance from the normal law", ylim=(2e-6, 2.0))
    axes.legend(loc="lower left")


def _divergence(axes: Axes, table: pd.DataFrame) -> None:
    rows = table[table["statement"] == said.DIVERGENCE]
    for (case, mine), (colour, marker, dash) in zip(rows.groupby("case"), PROBABILITIES, strict=True):
        axes.loglog(mine["n"], mine["exact"], color=colour, marker=marker, linestyle=dash, label=f"${case}$")
    axes.set(xlabel="$N$", ylabel="E KL", title="(d) Lemma 1, and $p$ at the edge")
    axes.legend()
