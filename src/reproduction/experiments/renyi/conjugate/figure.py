"""A prior that has no posterior, and what clipping does to a mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release.style import BLACK, BLUE, GREEN, VERMILION, house_style, subplots
from reproduction.experiments.bound_claims import rows_of
from reproduction.experiments.renyi import conjugate as said

INTEGRALS = {
    "prior": (BLACK, "-", r"prior $\eta_0=(-2,-2)$"),
    "n = .5": (BLUE, "-.", r"half a record $x=1$"),
    "n = 1": (VERMILION, "--", r"one record $x=1$"),
}
POPULATIONS = {
    "normal": (BLUE, "-", "o", "normal"),
    "Laplace": (GREEN, "-.", "D", "Laplace"),
    "Pareto": (VERMILION, "--", "^", "Pareto, index 2.5"),
}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Left integrals, right means."""
    del params  # all of it is in the table
    with house_style():
        figure, (integrals, means) = subplots(2, height=3.2)
        _integrals(integrals, table)
        _means(means, table)
        return figure


def _integrals(axes: Axes, table: pd.DataFrame) -> None:
    rows = rows_of(table, said.PARTIAL)
    for case, (colour, dash, label) in INTEGRALS.items():
        mine = rows[rows["case"] == case]
        axes.semilogx(mine["x"], mine["left"], color=colour, linestyle=dash, label=label)
    axes.legend(loc="upper left")
    axes.set(
        xlabel=r"upper limit of $\theta$",
        ylabel=r"$\int e^{\eta\cdot T(\theta)}\,d\theta$ up to it",
        title=r"(a) $x\in[0,1]$, $\Theta=[0,\infty)$: Observation 6",
    )


def _means(axes: Axes, table: pd.DataFrame) -> None:
    rows = rows_of(table, said.CLIPPED, said.HEAVY)
    rows = rows[rows["right"] > 1e-8]
    for case, (colour, dash, marker, label) in POPULATIONS.items():
        mine = rows[rows["case"] == case]
        axes.loglog(mine["right"], mine["left"], color=colour, linestyle=dash, marker=marker, label=label)
    ends = [float(rows["right"].min()), float(rows["right"].max())]
    axes.loglog(ends, ends, color="0.4", linewidth=0.8, label="share itself")
    axes.legend(loc="lower right")
    axes.set(
        xlabel="share of records that are clipped",
        ylabel="move of the mean, standard deviations",
        title="(b) supplement A.6.2: means clipped at $\\pm\\Delta$",
    )
