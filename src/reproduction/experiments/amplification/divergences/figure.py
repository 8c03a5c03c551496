"""Kernels on the line that do not mix, and the bounds of Theorem 15 at one γ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release.style import BLACK, BLUE, GREEN, VERMILION, house_style, subplots
from reproduction.experiments.amplification import divergences as said
from reproduction.experiments.bound_claims import rows_of

NOISES = {said.GAUSSIAN: (BLUE, "-"), said.LAPLACE: (VERMILION, "--")}
CONDITIONS = {said.TOTAL: "o", said.LEVEL: "^", said.RATIO: "s"}
DELTA = 0.01  # of the bounds that are drawn


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Left what two inputs do not share, right δ′."""
    del params  # all of it is in the table
    with house_style():
        figure, (line, bounds) = subplots(2, height=3.7)
        _line(line, table)
        _bounds(bounds, table)
        return figure


def _line(axes: Axes, table: pd.DataFrame) -> None:
    rows = rows_of(table, said.APART)
    for noise, (colour, dash) in NOISES.items():
        for condition, marker in CONDITIONS.items():
            mine, label = rows[rows["case"] == f"{noise}, {condition}"], f"{noise}: {condition}"
            axes.plot(mine["x"], mine["left"], color=colour, linestyle=dash, marker=marker, label=label)
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2)
    axes.set(
        xlabel="distance of two inputs, in scales of the noise",
        ylabel=r"$\gamma$ of the two",
        title="(a) on the line every $\\gamma$ tends to 1",
        ylim=(0.0, 1.04),
    )


def _bounds(axes: Axes, table: pd.DataFrame) -> None:
    rows = rows_of(table, said.STRONGER_PRINTED, said.STRONGER)
    third = rows[rows["case"] == f"{said.THIRD} and {said.SECOND}, δ = {DELTA:g}"]
    fourth = rows[rows["case"] == f"{said.FOURTH} and {said.SECOND}, δ = {DELTA:g}"]
    axes.plot(third["x"], third["right"], color=BLACK, label=r"(1), (2): $(\varepsilon,\gamma\delta)$")
    axes.plot(third["x"], third["left"], "^--", color=VERMILION, label=r"(3) Doeblin, at $\varepsilon'$")
    axes.plot(fourth["x"], fourth["left"], "D-.", color=GREEN, label=r"(4) ultra-mixing, at $\varepsilon'$")
    axes.set_yscale("log")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2))
    axes.set(
        xlabel=r"$\gamma$, the same for all",
        ylabel=r"$\delta'$ after the kernel",
        title=rf"(b) Theorem 15 at $\varepsilon=1$, $\delta={DELTA:g}$",
    )
