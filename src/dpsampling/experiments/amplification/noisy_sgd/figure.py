"""What each record of noisy SGD is promised, and what public steps do to the loss."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from dpsampling.amplification.names import CONVEX, OPTIMAL, PRINTED
from dpsampling.style import BLUE, GREEN, PURPLE, VERMILION, Line, house_style, subplots

LOOKS = {
    CONVEX: Line(r"convex, $2C^2/((n-i)\sigma^2)$, infinite at $i=n$", GREEN, "-.", ""),
    PRINTED: Line("printed, Theorem 22", PURPLE, "--", ""),
    OPTIMAL: Line("optimal, sharp $L$", BLUE, "-", ""),
}
NONPRIVATE = VERMILION
SMALLEST = 1e-300  # a level below it has lost its digits
MARKED = 8  # public steps that are written beside the curve


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Left ε_i against the steps behind a record; right the excess loss against the worst record's ε. Bars are two
    standard errors.
    """
    del params  # all of it is in the table
    n = int(table["n"].iloc[0])
    with house_style():
        figure, (levels, losses) = subplots(2, width=8.4, height=3.7)
        for curve, look in LOOKS.items():
            rows = table[(table["curve"] == curve) & np.isfinite(table["epsilon"])].sort_values("index")
            lone = "o" if len(rows) == 1 else ""
            levels.plot(
                n - rows["index"],
                rows["epsilon"],
                color=look.colour,
                linestyle=look.dash,
                marker=lone,
                label=look.label,
            )
        levels.set_yscale("log")
        levels.set(
            xlabel="steps behind the record, $n-i$", ylabel=r"$\varepsilon_i$, with $(\alpha,\alpha\varepsilon_i)$-RDP"
        )
        levels.legend(loc="lower left")
        wide = table.pivot_table(index="index", columns="curve", values="epsilon")
        first = wide.loc[wide.index.min()]
        if first[OPTIMAL] > SMALLEST:
            words = f"printed / optimal: {first[PRINTED] / first[OPTIMAL]:.3g} at $i={wide.index.min()}$"
            levels.text(0.98, 0.98, words, transform=levels.transAxes, ha="right", va="top", fontsize=7.5)
        rows = table[table["curve"] == OPTIMAL].sort_values("index", ascending=False).reset_index(drop=True)
        look = LOOKS[OPTIMAL]
        losses.errorbar(
            rows["epsilon"],
            rows["excess_loss"],
            yerr=2.0 * rows["sem"],
            color=look.colour,
            marker="o",
            markersize=2.5,
            markevery=max(1, len(rows) // MARKED),
            errorevery=max(1, len(rows) // MARKED),
            elinewidth=0.8,
            label="noisy SGD and public steps",
        )
        losses.plot(rows["epsilon"], rows["excess_nonprivate"], "--", color=NONPRIVATE, label="the same without noise")
        for k in range(0, len(rows), max(1, len(rows) // MARKED)):
            spot = rows.iloc[k]
            losses.annotate(
                f"{k}",
                (spot["epsilon"], spot["excess_loss"]),
                (0, 5),
                textcoords="offset points",
                ha="center",
                fontsize=7,
            )
        losses.set(xscale="log", yscale="log", ylabel="excess loss of the released iterate")
        losses.set_xlabel(r"$\varepsilon$ of the worst record (numbers: public steps)")
        losses.set_ylim(top=3.0 * float(rows["excess_loss"].max()))
        losses.legend(loc="center left")
        constants = {
            "C": "lipschitz",
            "\\beta": "smoothness",
            "\\rho": "convexity",
            "\\eta": "rate",
            "\\sigma": "sigma",
        }
        told = ", ".join(f"${symbol}={float(table[name].iloc[0]):g}$" for symbol, name in constants.items())
        figure.suptitle(f"$n={n}$, {told}", fontsize=9)
        return figure
