"""Lemma 2 and Lemma 8 beside what is exact, and what share of each bound is ever used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release.style import BLACK, BLUE, GREEN, GREY, PURPLE, VERMILION, house_style, subplots
from reproduction.experiments.foundations import lemmas as said
from reproduction.experiments.foundations.rows import where

CELLS = ((BLUE, "o"), (VERMILION, "^"), (GREEN, "D"), (PURPLE, "v"))
COINS = {said.SYMMETRIC: (BLUE, "o", "coins .4, .6"), said.LOPSIDED: (VERMILION, "^", "coins .05, .2")}
SHARES = {
    said.CONSTANT: r"Lemma 1: $nL$, $n\leq 4$",
    said.FAILURE: r"Lemma 2: probability $\delta$",
    said.RADIUS: "Lemma 2: radius",
    said.WEISSMAN: "(C.6) tail",
    said.PINSKER: "(C.5) Pinsker",
    said.EVENTS: "(C.5) events",
    said.COARSER: "(C.8) coarser events",
    said.MIXTURES: "Lemma 8: mixtures",
    said.ALL_PAIRS: "Lemma 8: two points",
}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Above Lemma 2, below Lemma 8 and all of them."""
    del params  # all of it is in the table
    with house_style():
        figure, (failures, radii, errors, shares) = subplots(2, rows=2, height=5.8)
        _by_cells(failures, table, said.FAILURE)
        failures.legend(loc="lower left")
        failures.set(
            ylabel=r"$\Pr(\|\hat P-P\|_1>r)$",
            title=r"(a) Lemma 2: exact failure; $\delta=4^{-m}$ (dashed)",
            xlabel="draws $n$ (no mark: $r$ is beyond reach)",
        )
        _by_cells(radii, table, said.RADIUS)
        radii.set_yticks([0.2, 0.5, 1.0, 2.0, 4.0], [".2", ".5", "1", "2", "4"])
        radii.set(
            ylabel=r"$\|\hat P-P\|_1$;  $r=\sqrt{(3/n)\ln(1/\delta)}$",
            title=r"(b) exact $1-\delta$ quantile; $r$ (dashed)",
            xlabel="draws $n$",
        )
        _errors(errors, table)
        _used(shares, table)
        return figure


def _by_cells(axes: Axes, table: pd.DataFrame, statement: str) -> None:
    """Draw what is exact, where it is above 0, and the bound."""
    rows = where(table[~table["case"].str.contains(",")], statement=statement)
    for (what, mine), (colour, marker) in zip(rows.groupby("case"), CELLS, strict=False):
        above = mine[mine["left"] > 0]
        axes.loglog(above["n"], above["left"], color=colour, marker=marker, label=f"${what}$")
        hollow = {"marker": marker, "markerfacecolor": "white", "markersize": 3.5}
        axes.loglog(mine["n"], mine["right"], color=colour, linestyle="--", linewidth=1.0, **hollow)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter("")


def _errors(axes: Axes, table: pd.DataFrame) -> None:
    for name, (colour, marker, label) in COINS.items():
        mine = where(table, statement=said.TWO_POINTS, case=name)
        axes.loglog(mine["n"], mine["right"], color=colour, label=f"{label}: best estimator")
        axes.loglog(mine["n"], mine["left"], marker, color=colour, markerfacecolor="none", label=f"{label}: Le Cam")
    axes.legend(loc="lower left", handlelength=1.5, borderaxespad=0.2, labelspacing=0.3)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set(
        xlabel="draws $n$ from a posterior",
        ylabel=r"error, in units of $\rho(x,y)=2\delta$",
        title="(c) Lemma 8: minimax error and bound",
    )


def _used(axes: Axes, table: pd.DataFrame) -> None:
    """From the least to the largest share over all cells and sizes, where it is not 0."""
    rows = table[table["statement"].isin(SHARES) & (table["left"] > 0)]
    shares = (rows["left"] / rows["right"]).groupby(rows["statement"]).agg(["min", "max"]).to_dict("index")
    for place, statement in enumerate(reversed(SHARES)):
        least, most = shares[statement].values()
        axes.plot([least, most], [place, place], color=GREY, linewidth=2.5, solid_capstyle="butt")
        axes.plot(most, place, "o", color=BLACK)
    axes.set_xscale("log")
    axes.set_yticks(range(len(SHARES)), list(reversed(SHARES.values())))
    axes.axvline(1.0, color="0.4", linewidth=0.8)
    axes.set(xlabel="exact over bound (dot: worst case)", title="(d) share of each bound in use")
