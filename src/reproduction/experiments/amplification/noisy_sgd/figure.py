"""What each record of noisy SGD is promised, and what public steps do to the loss."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from dpsampling.amplification.names import CONVEX, OPTIMAL, PRINTED
from dpsampling.release.style import (
    BLACK,
    BLUE,
    GREEN,
    PURPLE,
    SMALLEST,
    VERMILION,
    CurveStyle,
    house_style,
    subplots,
    two_errors,
)

STYLES = {
    CONVEX: CurveStyle(r"convex, $2C^2/((n-i)\sigma^2)$, infinite at $i=n$", GREEN, "-.", "D"),
    PRINTED: CurveStyle("printed, Theorem 22", PURPLE, "--", "v"),
    OPTIMAL: CurveStyle("optimal, sharp $L$", BLUE, "-", "o"),
}
NOISY = CurveStyle("noisy SGD and public steps", BLACK, "-", "s")
NONPRIVATE = CurveStyle("the same without noise", VERMILION, "--", "^")
CONSTANTS = {"C": "lipschitz", r"\beta": "smoothness", r"\rho": "convexity", r"\eta": "rate", r"\sigma": "sigma"}
DIGITS = 1e-300  # a level below it has lost its digits
MARKED = 8  # public steps that are written beside the curve


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Left ε_i against the steps behind a record; right the excess loss against the worst record's ε. Bars are two
    standard errors.
    """
    n = int(table["n"].iloc[0])
    with house_style():
        figure, (levels, losses) = subplots(2, height=3.4)
        for curve, style in STYLES.items():
            rows = table[(table["curve"] == curve) & np.isfinite(table["epsilon"])].sort_values("index", kind="stable")
            every = max(1, len(rows) // MARKED)
            levels.plot(n - rows["index"], rows["epsilon"], **style.drawn(), markevery=every)
        levels.set_yscale("log")
        levels.set(
            xlabel="steps behind the record, $n-i$", ylabel=r"$\varepsilon_i$, with $(\alpha,\alpha\varepsilon_i)$-RDP"
        )
        wide = table.pivot_table(index="index", columns="curve", values="epsilon")
        first = wide.loc[wide.index.min()]
        if first[OPTIMAL] > DIGITS:
            words = f"printed / optimal: {first[PRINTED] / first[OPTIMAL]:.3g} at $i={wide.index.min()}$"
            levels.text(0.98, 0.98, words, transform=levels.transAxes, ha="right", va="top", fontsize=SMALLEST)
        rows = table[table["curve"] == OPTIMAL].sort_values("index", ascending=False, kind="stable", ignore_index=True)
        every = max(1, len(rows) // MARKED)
        few = {"markevery": every, "errorevery": every, "markersize": 3}
        for loss, sem, shown in (("excess_loss", "sem", NOISY), ("excess_nonprivate", "sem_nonprivate", NONPRIVATE)):
            two_errors(losses, rows["epsilon"], rows[loss], rows[sem], shown, **few)
        for k, spot in rows.iloc[::every].iterrows():
            place = spot["epsilon"], spot["excess_loss"]
            losses.annotate(f"{k}", place, (0, 5), textcoords="offset points", ha="center", fontsize=SMALLEST)
        losses.set(xscale="log", yscale="log", ylabel="excess loss of the released iterate")
        losses.set_xlabel(r"$\varepsilon$ of the worst record (numbers: public steps)")
        losses.set_ylim(top=3.0 * float(rows["excess_loss"].max()))
        setting = ", ".join(f"${symbol}={float(table[name].iloc[0]):g}$" for symbol, name in CONSTANTS.items())
        levels.set_title("(a) what each record is promised")
        losses.set_title(f"(b) means of {params['repeats']} runs, ± 2 standard errors")
        figure.legend(loc="outside lower center", ncols=2, title=f"$n={n}$, {setting}")
        return figure
