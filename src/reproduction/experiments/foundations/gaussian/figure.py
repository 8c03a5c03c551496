"""Where the classical noise keeps its promise, and what becomes of δ as data sets differ in more samples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release.style import BLACK, BLUE, GREEN, SMALLEST, VERMILION, house_style, scientific, subplots
from reproduction.experiments.foundations import gaussian as said
from reproduction.experiments.foundations.rows import where

COLOURS = ((BLUE, "o"), (VERMILION, "^"), (GREEN, "D"))
DASHES = {said.CLASSICAL: "-", said.ANALYTIC: "--"}
USUAL = 1e-5  # the δ of the right panel, or the one nearest to it
LEAST, SHOWN = 1e-11, 1.5
TEXTBOOK = 1.0


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Left ε*(δ), in the area below which the promise is kept, above it not; right δ by distance."""
    del params  # all of it is in the table
    with house_style():
        figure, (left, right) = subplots(2, height=3.3)
        _map(left, where(table, by="delta", calibration=said.LIMIT))
        delta = min(table["delta"].unique(), key=lambda each: (abs(each - USUAL), each))
        _distances(right, where(table, delta=delta, calibration=tuple(DASHES)), delta)
        return figure


def _map(axes: Axes, last: pd.DataFrame) -> None:
    """Above the curve the promise is broken."""
    top = 1.45 * float(last["epsilon"].max())
    axes.semilogx(last["delta"], last["epsilon"], color=BLACK, marker="o")
    axes.fill_between(last["delta"], last["epsilon"], top, color=VERMILION, alpha=0.2, linewidth=0)
    axes.fill_between(last["delta"], 0.0, last["epsilon"], color=BLUE, alpha=0.1, linewidth=0)
    axes.axhline(TEXTBOOK, color="0.4", linestyle=":", linewidth=1.0)
    for height, text in (
        (0.88 * top, r"broken: true $\delta$ above $\delta$"),
        (1.03 * float(last["epsilon"].max()), r"$\varepsilon^*(\delta)$"),
        (3.0, r"kept: true $\delta$ at most $\delta$"),
        (0.45, r"$\varepsilon < 1$: the textbook's proof"),
    ):
        axes.text(0.4, height, text, transform=axes.get_yaxis_transform(), ha="center", va="center")
    axes.set(
        xlabel=r"promised $\delta$",
        ylabel=r"$d\varepsilon$: distance of the data sets times $\varepsilon$",
        title=r"(a) $\sigma=\sqrt{2\ln(5/(4\delta))}\,\kappa/\varepsilon$",
        ylim=(0.0, top),
    )


def _distances(axes: Axes, rows: pd.DataFrame, delta: float) -> None:
    for epsilon, (colour, marker) in zip(_spread(sorted(rows["epsilon"].unique())), COLOURS, strict=False):
        for calibration, dash in DASHES.items():
            mine = where(rows[rows["delta_true"] > LEAST], by="distance", epsilon=epsilon, calibration=calibration)
            look = {"color": colour, "linestyle": dash, "marker": marker, "mfc": "none"}
            label = rf"$\varepsilon$ = {epsilon:g}, {calibration}"
            axes.loglog(mine["distance"], mine["delta_true"], **look, label=label)
    axes.axhline(delta, color="0.3", linewidth=0.9)
    axes.text(1.0, delta / 1.6, r"promised $\delta$", fontsize=SMALLEST, color="0.2", va="top")
    axes.set(
        xlabel="$d$, samples in which the data sets differ",
        ylabel=r"true $\delta$ at the level $d\varepsilon$",
        title=rf"(b) a noisy count, $\delta$ = {scientific(delta)} promised",
        ylim=(LEAST, SHOWN),
    )
    axes.legend(loc="lower right")


def _spread(epsilons: list[float]) -> list[float]:
    """The least, the largest of 1 or less, and the largest."""
    usual = max((epsilon for epsilon in epsilons if epsilon <= TEXTBOOK), default=epsilons[0])
    return sorted({epsilons[0], usual, epsilons[-1]})
