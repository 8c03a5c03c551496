"""Where the prior's mass is, which c serves a Beta prior, what edges do to a network, and what c does to learning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release.style import BLACK, BLUE, CYCLE, GREEN, SMALLEST, VERMILION, CurveStyle, house_style, subplots
from reproduction.experiments.foundations import assumptions as said
from reproduction.experiments.foundations.rows import where

STYLES = {
    said.EXPONENTIAL: CurveStyle("exponential, Laplace", BLACK, "-", "o"),
    f"{said.NORMAL}, mean 2": CurveStyle(r"normal, $1/\sigma^2\sim$ Exp", BLUE, "--", "s"),
    said.BITS: CurveStyle("one bit, Beta", *CYCLE["green"]),
    said.LOCATION: CurveStyle("Laplace location (Lemma 4)", *CYCLE["orange"]),
    f"{said.PRINTED_NORMAL}, mean 2": CurveStyle(r"normal, $\sigma^2\sim$ Exp (Lemma 6)", *CYCLE["vermilion"]),
    said.BINOMIAL: CurveStyle("binomial, two or more trials", *CYCLE["purple"]),
}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Four panels."""
    del params  # all of it is in the table
    with house_style():
        figure, (mass, largest, edges, learning) = subplots(2, rows=2, height=5.8)
        _mass(mass, where(table, statement=said.MASS))
        _largest(largest, table)
        _edges(edges, table)
        _learning(learning, table)
        return figure


def _mass(axis: Axes, rows: pd.DataFrame) -> None:
    """ξ(Θ_L) less 1 − e^{−cL}, at the concentration nearest to 1."""
    concentration = min(set(rows["concentration"]), key=lambda value: abs(np.log(value)))
    for family, style in STYLES.items():
        mine = where(rows, concentration=concentration, family=family)
        mine = where(mine, n=mine["n"].min())  # of trials
        axis.semilogx(mine["level"], mine["exact"] - mine["bound"], **style.drawn())
    axis.axhline(0.0, color=BLACK, linewidth=0.9)
    axis.axhspan(-1.0, 0.0, color="0.93", zorder=0)
    axis.text(0.98, 0.03, "Assumption 2 fails", transform=axis.transAxes, fontsize=SMALLEST, ha="right")
    axis.set(
        xlabel="Lipschitz level $L$",
        ylabel=r"$\xi(\Theta_L)-(1-e^{-cL})$",
        title=rf"(a) prior mass, $\lambda=\alpha={concentration:g}$",
        ylim=(-0.6, 1.6),
    )
    axis.legend(loc="upper left", ncols=1, fontsize=SMALLEST)


def _largest(axis: Axes, table: pd.DataFrame) -> None:
    rows = where(table, by="concentration", statement=said.LARGEST_C)
    alpha = rows["concentration"]
    axis.loglog(alpha, rows["exact"], color=GREEN, marker="D", linestyle="none", label="largest $c$, searched")
    axis.loglog(alpha, np.sqrt(alpha / np.pi), color=GREEN, label=r"$\sqrt{\alpha/\pi}$")
    axis.loglog(alpha, alpha, color="0.6", linestyle="--", label=r"$\alpha$ (the lemma's order)")
    last = where(table[table["exact"] > 0], statement=said.TAIL_CONSTANT, n=1)
    style = CurveStyle(r"the proof's last $c$, where above 0", VERMILION, ":", "^")
    axis.loglog(last["concentration"], last["exact"], **style.drawn())
    axis.minorticks_off()
    axis.set(xlabel=r"$\alpha$ of Beta($\alpha,\alpha$)", ylabel="constant $c$", title="(b) one bit: which $c$ serves")
    axis.set_ylim(top=50.0 * axis.get_ylim()[1])  # room for the legend
    axis.legend(loc="upper left")


def _edges(axis: Axes, table: pd.DataFrame) -> None:
    epsilon = float(where(table, statement=said.HAMMING)["concentration"].min())
    for offset, statement, colour, hatch, label in (
        (-0.2, said.HAMMING, VERMILION, "//", "Hamming distance (Lemma 7)"),
        (0.2, said.WEIGHTED, BLUE, "", "weighted by degree (its proof)"),
    ):
        rows = where(table, statement=statement, concentration=epsilon)
        places, shares = np.arange(len(rows)), rows["exact"] / rows["bound"]
        axis.bar(places + offset, shares, 0.38, color=colour, hatch=hatch, edgecolor="white", label=label)
        axis.set_xticks(places, rows["family"].tolist(), fontsize=SMALLEST)
    axis.axhline(1.0, color=BLACK, linewidth=0.9)
    axis.set(
        ylabel=r"largest $|\ln P(x)/P(y)|\;/\;(\rho\,\ln(1/\varepsilon))$",
        title=rf"(c) networks, $\varepsilon={epsilon:g}$",
    )
    axis.legend(loc="upper left")
    axis.set_ylim(0.0, 3.9)


def _learning(axis: Axes, table: pd.DataFrame) -> None:
    for statement, style in (
        (said.DIVERGENCE, CurveStyle(r"KL at $\rho=1$, from all zeros", BLUE, "-", "o")),
        (said.ERROR, CurveStyle(r"$E(\hat\theta-1)^2$ of a draw", VERMILION, "--", "s")),
    ):
        rows = where(table, by="concentration", statement=statement)
        axis.loglog(rows["concentration"], rows["exact"], **style.drawn())
    n = int(where(table, statement=said.ERROR)["n"].iloc[0])
    axis.minorticks_off()
    axis.set(xlabel=r"$c=\lambda$", ylabel="KL, squared error", title=f"(d) exponential, {n} records")
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2)
