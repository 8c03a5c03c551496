"""Lemma 17 with and without η_Q, the tail of the privacy loss beside δ, and the proof's scale beside the largest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release.style import BLACK, BLUE, GREEN, VERMILION, house_style, subplots
from reproduction.experiments.bound_claims import rows_of
from reproduction.experiments.renyi import lemmas as said

BOUNDS = {
    said.LEMMA_PRINTED: (VERMILION, "--", "^", "segment as printed"),
    said.HALF: (GREEN, "-.", "D", r"segment to $\eta_Q$, $\lambda H\|v\|^2/2$"),
    said.LEMMA: (BLUE, "-", "o", r"segment to $\eta_Q$, $\lambda H\|v\|^2$"),
}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Three panels."""
    del params  # all of it is in the table
    with house_style():
        figure, (lemma, loss, scales) = subplots(3, height=3.3)
        _lemma(lemma, table)
        _loss(loss, table)
        _scales(scales, table)
        return figure


def _lemma(axes: Axes, table: pd.DataFrame) -> None:
    for statement, (colour, dash, marker, label) in BOUNDS.items():
        mine = rows_of(table, statement).sort_values("order", kind="stable")
        share = mine["left"] / mine["right"]
        axes.semilogx(mine["order"] - 1.0, share, color=colour, linestyle=dash, marker=marker, label=label)
    axes.axhline(1.0, color="0.4", linewidth=0.8)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2))
    axes.set(
        xlabel=r"$\lambda-1$",
        ylabel=r"exact $R_\lambda$ over its bound, worst pair",
        title="(a) Lemma 17, Beta laws",
        ylim=(0.0, None),
    )


def _loss(axes: Axes, table: pd.DataFrame) -> None:
    tail, mean = rows_of(table, said.LOSS_PRINTED), rows_of(table, said.LOSS)
    axes.semilogy(tail["x"], tail["left"], color=VERMILION, linestyle="--", label=r"$\Pr(Z>\varepsilon)$")
    axes.semilogy(mean["x"], mean["right"], color=BLACK, label=r"$\delta(\varepsilon)$ of the mechanism")
    label = r"$\mathrm{E}[1-e^{\varepsilon-Z}]_+$"
    axes.semilogy(mean["x"], mean["left"], "o", color=BLUE, markerfacecolor="none", label=label)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2))
    axes.set(xlabel=r"$\varepsilon$", ylabel="probability", title=r"(b) Gaussian noise, $\Delta=\sigma=1$")


def _scales(axes: Axes, table: pd.DataFrame) -> None:
    rows = rows_of(table, said.CALIBRATED)
    order = rows["order"].max()
    mine = rows[rows["order"] == order].sort_values("x", kind="stable")
    axes.loglog(mine["x"], mine["left"], color=BLACK, marker="o", label="largest $r$")
    axes.loglog(mine["x"], mine["right"], "^--", color=BLUE, label=r"proof: least of $r^*$, $r_0$, 1")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2))
    axes.set(xlabel=r"$\varepsilon$", ylabel="scale $r$", title=rf"(c) Algorithm 2 at $\lambda={order:g}$")
