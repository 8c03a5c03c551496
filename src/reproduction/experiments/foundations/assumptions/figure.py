"""Where the prior's mass is, which c serves a Beta prior, what edges do to a network, and what c does to learning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release.style import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SMALLEST,
    VERMILION,
    house_style,
    subplots,
)
from reproduction.experiments.foundations import assumptions as said

STYLES = {
    said.EXPONENTIAL: (BLACK, "-", "o", "exponential, Laplace"),
    f"{said.NORMAL}, mean 2": (BLUE, "--", "s", r"normal, $1/\sigma^2\sim$ Exp"),
    said.BITS: (GREEN, "-.", "D", "one bit, Beta"),
    said.LOCATION: (ORANGE, "-", "P", "Laplace location (Lemma 4)"),
    f"{said.PRINTED_NORMAL}, mean 2": (VERMILION, "--", "^", r"normal, $\sigma^2\sim$ Exp (Lemma 6)"),
    said.BINOMIAL: (PURPLE, ":", "v", "binomial, two or more trials"),
}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Four panels."""
    del params  # all of it is in the table
    with house_style():
        figure, (mass, largest, edges, learning) = subplots(2, rows=2, height=5.8)
        _mass(mass, table[table["statement"] == said.MASS])
        _largest(largest, table)
        _edges(edges, table)
        _learning(learning, table)
        return figure


def _mass(axis: Axes, rows: pd.DataFrame) -> None:
    """ξ(Θ_L) less 1 − e^{−cL}, at the concentration nearest to 1."""
    concentration = min(set(rows["concentration"]), key=lambda value: abs(np.log(value)))
    rows = rows[rows["concentration"] == concentration]
    for family, (colour, dash, marker, label) in STYLES.items():
        mine = rows[rows["family"] == family]
        if family == said.BINOMIAL:
            mine = mine[mine["n"] == mine["n"].min()]
        axis.semilogx(
            mine["level"], mine["exact"] - mine["bound"], color=colour, linestyle=dash, marker=marker, label=label
        )
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
    rows = table[table["statement"] == said.LARGEST_C].sort_values("concentration", kind="stable")
    alpha = rows["concentration"]
    axis.loglog(alpha, rows["exact"], color=GREEN, marker="D", linestyle="none", label="largest $c$, searched")
    axis.loglog(alpha, np.sqrt(alpha / np.pi), color=GREEN, label=r"$\sqrt{\alpha/\pi}$")
    axis.loglog(alpha, alpha, color=GREY, linestyle="--", label=r"$\alpha$ (the lemma's order)")
    last = table[(table["statement"] == said.TAIL_CONSTANT) & (table["n"] == 1) & (table["exact"] > 0)]
    axis.loglog(
        last["concentration"],
        last["exact"],
        color=VERMILION,
        marker="^",
        linestyle=":",
        label=r"the proof's last $c$, where above 0",
    )
    axis.minorticks_off()
    axis.set(xlabel=r"$\alpha$ of Beta($\alpha,\alpha$)", ylabel="constant $c$", title="(b) one bit: which $c$ serves")
    axis.set_ylim(top=50.0 * axis.get_ylim()[1])  # room for the legend
    axis.legend(loc="upper left")


def _edges(axis: Axes, table: pd.DataFrame) -> None:
    epsilon = float(table.loc[table["statement"] == said.HAMMING, "concentration"].min())
    places = None
    for offset, statement, colour, hatch, label in (
        (-0.2, said.HAMMING, VERMILION, "//", "Hamming distance (Lemma 7)"),
        (0.2, said.WEIGHTED, BLUE, "", "weighted by degree (its proof)"),
    ):
        rows = table[(table["statement"] == statement) & (table["concentration"] == epsilon)]
        places = np.arange(len(rows))
        axis.bar(
            places + offset,
            rows["exact"] / rows["bound"],
            0.38,
            color=colour,
            hatch=hatch,
            edgecolor="white",
            label=label,
        )
        axis.set_xticks(places, rows["family"].tolist(), fontsize=SMALLEST)
    axis.axhline(1.0, color=BLACK, linewidth=0.9)
    axis.set(
        ylabel=r"largest $|\ln P(x)/P(y)|\;/\;(\rho\,\ln(1/\varepsilon))$",
        title=rf"(c) networks, $\varepsilon={epsilon:g}$",
    )
    axis.legend(loc="upper left")
    axis.set_ylim(0.0, 3.9)


def _learning(axis: Axes, table: pd.DataFrame) -> None:
    for statement, colour, marker, dash, label in (
        (said.DIVERGENCE, BLUE, "o", "-", r"KL at $\rho=1$, from all zeros"),
        (said.ERROR, VERMILION, "s", "--", r"$E(\hat\theta-1)^2$ of a draw"),
    ):
        rows = table[table["statement"] == statement].sort_values("concentration", kind="stable")
        axis.loglog(rows["concentration"], rows["exact"], color=colour, marker=marker, linestyle=dash, label=label)
    n = int(table.loc[table["statement"] == said.ERROR, "n"].iloc[0])
    axis.minorticks_off()
    axis.set(xlabel=r"$c=\lambda$", ylabel="KL, squared error", title=f"(d) exponential, {n} records")
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2)
