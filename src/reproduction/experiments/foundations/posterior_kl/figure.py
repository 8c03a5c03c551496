"""KL over its bound against the prior's concentration, a panel a family; what is above 1 is marked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dpsampling.release.style import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION, house_style, subplots
from reproduction.experiments.foundations import posterior_kl as said
from reproduction.experiments.foundations.rows import where

LOOKS: tuple[dict[str, Any], ...] = (
    {"color": BLUE, "linestyle": "-", "marker": "o"},
    {"color": GREEN, "linestyle": "--", "marker": "s"},
    {"color": PURPLE, "linestyle": "-.", "marker": "^"},
    {"color": ORANGE, "linestyle": ":", "marker": "D"},
    {"color": SKY, "linestyle": "-", "marker": "v"},
)
EXCEEDED: dict[str, Any] = {"color": VERMILION, "marker": "o", "markersize": 9, "mfc": "none", "linestyle": "none"}
PANELS = {
    said.EXPONENTIAL: (r"(a) exponential, $\theta\sim$ Exp($\lambda$)", r"$\lambda=c$"),
    said.LAPLACE: (r"(b) Laplace, $1/s\sim$ Exp($\lambda$)", r"$\lambda=c$"),
    said.NORMAL: (r"(c) normal, $1/\sigma^2\sim$ Exp($\lambda$)", r"$\lambda=c/2$"),
    said.BITS: (r"(d) $n$ bits, $\theta\sim$ Beta($\alpha,\alpha$)", r"$\alpha$"),
}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """The worst pair of each n and concentration."""
    del params  # all of it is in the table
    with house_style():
        figure, axes = subplots(3, rows=2, height=5.2)
        for axis, (family, (title, label)) in zip(axes, PANELS.items(), strict=False):
            _ratios(axis, where(table, family=family), "kl_exact", "bound")
            axis.set(title=title, xlabel=label, ylabel=r"KL $/\;(\kappa\rho/c)$")
        _networks(axes[4], where(table, statement=said.FIRST))
        _ratios(axes[5], where(table, family=said.EXPONENTIAL), "tv", "tv_bound")
        axes[5].set(
            title="(f) exponential, total variation", xlabel=r"$\lambda=c$", ylabel=r"TV $/\;\sqrt{\kappa\rho/(2c)}$"
        )
        sizes = _chosen(where(table, family=said.CONJUGATE)["n"])
        handles = [
            *(Line2D([], [], **look, label=f"$n={n}$ records") for n, look in zip(sizes, LOOKS, strict=False)),
            Line2D([], [], color=BLACK, linewidth=0.9, label="the theorem's bound"),
            Line2D([], [], **EXCEEDED, label="bound exceeded (grey)"),
        ]
        figure.legend(handles=handles, loc="outside lower center", ncols=4)
        return figure


def _chosen(sizes: pd.Series) -> list[int]:
    """Up to five numbers of records from all."""
    known = sorted(set(sizes))
    if len(known) <= len(LOOKS):
        return known
    step = (len(known) - 1) / (len(LOOKS) - 1)
    return [known[round(i * step)] for i in range(len(LOOKS))]


def _ratios(axis: Axes, rows: pd.DataFrame, exact: str, bound: str) -> None:
    for n, look in zip(_chosen(rows["n"]), LOOKS, strict=False):
        _worst(axis, where(rows, n=n), exact, bound, look, f"$n={n}$")
    _finish(axis)


def _networks(axis: Axes, rows: pd.DataFrame) -> None:
    for family, look in zip(said.NETWORKS, LOOKS, strict=False):
        _worst(axis, where(rows, family=family), "kl_exact", "bound", look, family)
    _finish(axis)
    axis.set_xscale("linear")
    axis.set_ylim(bottom=axis.get_ylim()[0] / 12.0)  # room for the legend
    axis.legend(loc="lower left")
    axis.set(
        title=r"(e) networks, $L=\ln(1/\varepsilon)$",
        xlabel=r"least probability $\varepsilon$",
        ylabel=r"KL $/\;(2L\rho)$",
    )


def _worst(axis: Axes, rows: pd.DataFrame, exact: str, bound: str, look: dict[str, Any], label: str) -> None:
    worst = (rows[exact] / rows[bound]).groupby(rows["concentration"]).max()
    axis.loglog(worst.index, worst, **look, label=label)
    above = worst[worst > 1.0]
    axis.loglog(above.index, above, **EXCEEDED)


def _finish(axis: Axes) -> None:
    axis.axhline(1.0, color=BLACK, linewidth=0.9)
    top = max(1.5, axis.get_ylim()[1])
    axis.axhspan(1.0, top, color="0.93", linewidth=0, zorder=0)
    axis.set_ylim(top=top)
    axis.minorticks_off()
