"""KL over its bound against the prior's concentration, a panel a family; what is above 1 is marked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dpsampling.release.style import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION, Dash, house_style, subplots
from reproduction.experiments.foundations import posterior_kl as said

STYLES: tuple[tuple[str, Dash, str], ...] = (
    (BLUE, "-", "o"),
    (GREEN, "--", "s"),
    (PURPLE, "-.", "^"),
    (ORANGE, ":", "D"),
    (SKY, "-", "v"),
)
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
            rows = table[table["family"] == family]
            _ratios(axis, rows, "kl_exact", "bound", _chosen(rows["n"]))
            axis.set(title=title, xlabel=label, ylabel=r"KL $/\;(\kappa\rho/c)$")
        _networks(axes[4], table)
        rows = table[table["family"] == said.EXPONENTIAL]
        _ratios(axes[5], rows, "tv", "tv_bound", _chosen(rows["n"]))
        axes[5].set(
            title="(f) exponential, total variation", xlabel=r"$\lambda=c$", ylabel=r"TV $/\;\sqrt{\kappa\rho/(2c)}$"
        )
        sizes = _chosen(table.loc[table["family"].isin(said.CONJUGATE), "n"])
        figure.legend(
            handles=[
                *(
                    Line2D([], [], color=colour, linestyle=dash, marker=marker, label=f"$n={n}$ records")
                    for n, (colour, dash, marker) in zip(sizes, STYLES, strict=False)
                ),
                Line2D([], [], color=BLACK, linewidth=0.9, label="the theorem's bound"),
                Line2D(
                    [],
                    [],
                    color=VERMILION,
                    marker="o",
                    markerfacecolor="none",
                    markersize=9,
                    linestyle="none",
                    label="bound exceeded (grey)",
                ),
            ],
            loc="outside lower center",
            ncols=4,
        )
        return figure


def _chosen(sizes: pd.Series) -> list[int]:
    """Up to five numbers of records from all."""
    known = sorted(set(sizes))
    if len(known) <= len(STYLES):
        return known
    step = (len(known) - 1) / (len(STYLES) - 1)
    return [known[round(i * step)] for i in range(len(STYLES))]


def _ratios(axis: Axes, rows: pd.DataFrame, exact: str, bound: str, sizes: list[int]) -> None:
    rows = rows.assign(ratio=rows[exact] / rows[bound])
    for n, style in zip(sizes, STYLES, strict=False):
        worst = rows[rows["n"] == n].groupby("concentration")["ratio"].max()
        _curve(axis, worst, style, f"$n={n}$")
    _finish(axis)


def _networks(axis: Axes, table: pd.DataFrame) -> None:
    rows = table[table["statement"] == said.FIRST]
    rows = rows.assign(ratio=rows["kl_exact"] / rows["bound"])
    for family, style in zip(said.NETWORKS, STYLES, strict=False):
        worst = rows[rows["family"] == family].groupby("concentration")["ratio"].max()
        _curve(axis, worst, style, family)
    _finish(axis)
    axis.set_xscale("linear")
    axis.set_ylim(bottom=axis.get_ylim()[0] / 12.0)  # room for the legend
    axis.legend(loc="lower left")
    axis.set(
        title=r"(e) networks, $L=\ln(1/\varepsilon)$",
        xlabel=r"least probability $\varepsilon$",
        ylabel=r"KL $/\;(2L\rho)$",
    )


def _curve(axis: Axes, worst: pd.Series, style: tuple[str, Dash, str], label: str) -> None:
    colour, dash, marker = style
    axis.loglog(worst.index, worst, color=colour, linestyle=dash, marker=marker, label=label)
    above = worst[worst > 1.0]
    axis.loglog(above.index, above, color=VERMILION, marker="o", markersize=9, markerfacecolor="none", linestyle="none")


def _finish(axis: Axes) -> None:
    axis.axhline(1.0, color=BLACK, linewidth=0.9)
    top = max(1.5, axis.get_ylim()[1])
    axis.axhspan(1.0, top, color="0.93", linewidth=0, zorder=0)
    axis.set_ylim(top=top)
    axis.minorticks_off()
