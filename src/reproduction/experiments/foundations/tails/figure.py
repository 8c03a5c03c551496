"""How much of each bound is used: flips one by one, noise and scores as shares of their bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release.style import BLACK, BLUE, GREEN, ORANGE, VERMILION, house_style, subplots
from reproduction.experiments.foundations import tails as said
from reproduction.experiments.foundations.rows import where

FLIPS = {
    said.BITS: (BLUE, "o", r"$p = q = 1/(1 + e^{\varepsilon})$"),
    said.HALF: (VERMILION, "^", r"$p = 1/2$, $q = e^{-\varepsilon}/2$"),
}
NOISES = {said.LAPLACE: (BLUE, "o", "Laplace"), said.CLASSICAL: (VERMILION, "^", "Gaussian")}
SCORES = {
    (said.DEFICIT, said.WORST): (BLACK, "", "one best, all others at the threshold"),
    (said.DEFICIT, said.GRADED): (BLUE, "o", "one best, others graded"),
    (said.DEFICIT, said.TIED): (GREEN, "D", "three best"),
    (said.LOOSE, said.TIED): (ORANGE, "P", r"three best, bound with ln$|Y|$"),
}
DASHES = ("-", "--", ":")


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """At the largest ε: flips of the most bits, shares of the bounds of noise and of scores. Lines are exact,
    markers drawn; bars are two standard errors.
    """
    epsilon, dimension = max(params["epsilons"]), max(params["dimensions"])
    table = where(table, epsilon=epsilon)
    with house_style():
        figure, (left, middle, right) = subplots(3, height=4.2)
        _flips(left, where(table, dimension=dimension), dimension)
        _noise(middle, where(table, statement=said.NOISE))
        _scores(right, where(table, dimension=dimension, mechanism=said.EXPONENTIAL), dimension)
        draws = f"{params['draws']:,}".replace(",", "\u2009")
        legend = rf"$\varepsilon$ = {epsilon:g}; lines exact, markers frequencies in {draws} draws, ± 2 standard errors"
        figure.supxlabel(legend, fontsize=8)
        return figure


def _flips(axes: Axes, table: pd.DataFrame, dimension: int) -> None:
    """Both laws with their bounds above them."""
    for name, (colour, marker, label) in FLIPS.items():
        rows = where(table[table["draws"] > 0], mechanism=name, statement=said.FLIPS)
        hit = rows[rows["empirical"] > 0]
        axes.semilogy(rows["threshold"], rows["bound"], color=colour, linestyle=":", linewidth=2.2)
        axes.semilogy(rows["threshold"], rows["exact"], color=colour, linestyle="-")
        axes.semilogy(hit["threshold"], hit["empirical"], color=colour, linestyle="none", marker=marker, mfc="none")
        axes.plot([], [], color=colour, marker=marker, mfc="none", label=label)
    axes.plot([], [], color="0.3", linestyle=":", linewidth=2.2, label="bound; of $p = q$ it is attained")
    axes.set(
        xlabel=f"flipped bits $j$ of {dimension} (0, 1, 0, 1, …)",
        ylabel="probability",
        title="(a) Proposition 3.3:\nrandomized response",
    )
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17))


def _noise(axes: Axes, table: pd.DataFrame) -> None:
    _bounds(axes, table)
    for name, (colour, marker, label) in NOISES.items():
        for (dimension, mine), dash in zip(where(table, mechanism=name).groupby("dimension"), DASHES, strict=False):
            _share(axes, mine, colour, dash, marker, f"{label}, $k = {dimension}$")
    _finish(axes, r"bound $\delta$", "(b) Propositions 3.7, 3.16:\nnoise")


def _scores(axes: Axes, table: pd.DataFrame, dimension: int) -> None:
    _bounds(axes, where(table, statement=said.DEFICIT))
    for (statement, data), (colour, marker, label) in SCORES.items():
        rows = where(table, statement=statement, data=data)
        if len(rows):
            _share(axes, rows, colour, "-", marker, label)
    _finish(axes, r"bound $e^{-t}$", f"(c) Proposition 3.12:\none of {dimension + 1} alternatives")


def _bounds(axes: Axes, rows: pd.DataFrame) -> None:
    """From large to small, fixed before anything is drawn: there may be one bound alone."""
    axes.set_xscale("log")
    axes.set_xlim(1.6 * float(rows["bound"].max()), float(rows["bound"].min()) / 1.6)


def _share(axes: Axes, rows: pd.DataFrame, colour: str, dash: str, marker: str, label: str) -> None:
    """Exact and drawn over the bound, with two standard errors."""
    rows = rows.sort_values("bound", kind="stable")
    drawn = rows[rows["draws"] > 0]
    axes.semilogx(rows["bound"], rows["exact"] / rows["bound"], color=colour, linestyle=dash)
    error = (drawn["exact"] * (1.0 - drawn["exact"]) / drawn["draws"]) ** 0.5
    look: dict[str, Any] = {"color": colour, "linestyle": "none", "linewidth": 0.8, "marker": marker, "mfc": "none"}
    axes.errorbar(drawn["bound"], drawn["empirical"] / drawn["bound"], 2.0 * error / drawn["bound"], **look)
    axes.plot([], [], color=colour, linestyle=dash, marker=marker if len(drawn) else "", mfc="none", label=label)


def _finish(axes: Axes, bound: str, title: str) -> None:
    axes.axhline(1.0, color="0.5", linewidth=0.8)
    axes.set(xlabel=bound, ylabel="probability over its bound", title=title, ylim=(0.0, 1.1))
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17))
