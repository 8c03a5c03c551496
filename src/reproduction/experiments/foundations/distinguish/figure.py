"""The best adversary's error against the number of draws, beside the error that Theorem 3 says he has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dpsampling.release.style import BLACK, BLUE, GREEN, PURPLE, VERMILION, house_style, subplots
from reproduction.experiments.foundations import distinguish as said
from reproduction.experiments.foundations.rows import where

STYLES = ((BLUE, "o"), (GREEN, "s"), (PURPLE, "^"), (VERMILION, "D"))
LEAST = 3e-6
PANELS = {
    said.COINS: ("(a) two coins (Assumption 1)", r"\varepsilon"),
    said.EXPONENTIAL: ("(b) exponential (Assumption 2)", r"\lambda"),
    said.NORMAL: ("(c) normal (Assumption 2)", r"\lambda"),
    said.BITS: ("(d) bits, Beta prior (Assumption 2)", r"\alpha"),
}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """A panel a family, a colour a concentration. Bars are two standard errors of the simulated error."""
    with house_style():
        figure, axes = subplots(2, rows=2, height=5.6)
        asked = where(table, query=said.THETA, records=params["n"])
        for axis, (family, (title, symbol)) in zip(axes, PANELS.items(), strict=True):
            _panel(axis, where(asked, family=family), title, symbol)
        looks: dict[str, dict[str, Any]] = {
            "error of the best test": {},
            f"{params['runs']} simulations each, ± 2 standard errors": {"marker": "o", "linestyle": "none"},
            "Theorem 3: reached (as worded), not undercut (as proved)": {
                "linestyle": ":",
                "marker": "o",
                "mfc": "white",
            },
            "the same data in another order": {"linestyle": "--"},
        }
        handles = [Line2D([], [], color=BLACK, label=label, **look) for label, look in looks.items()]
        figure.legend(handles=handles, loc="outside lower center", ncols=2)
        return figure


def _panel(axis: Axes, rows: pd.DataFrame, title: str, symbol: str) -> None:
    for (concentration, mine), (colour, marker) in zip(rows.groupby("concentration"), STYLES, strict=False):
        errors = where(mine, pair=said.CHANGED).drop_duplicates("n").sort_values("n", kind="stable")
        shown = errors[errors["exact_error"] >= LEAST]
        axis.loglog(shown["n"], shown["exact_error"], color=colour)
        axis.plot([], [], color=colour, marker=marker, label=rf"${symbol}={concentration:g}$")
        drawn = errors[errors["empirical_error"] > 0]
        low = np.minimum(2.0 * drawn["standard_error"], 0.9 * drawn["empirical_error"])
        look: dict[str, Any] = {"color": colour, "marker": marker, "linestyle": "none", "linewidth": 0.8}
        axis.errorbar(drawn["n"], drawn["empirical_error"], [low, 2.0 * drawn["standard_error"]], **look)
        # Theorem 3 solved for δ: e^{−2nDρ/3}.
        n = np.geomspace(errors["n"].min(), errors["n"].max(), 400)
        theorem = np.exp(-2.0 * n * float((errors["per_unit"] * errors["distance"]).iloc[0]) / 3.0)
        keep = theorem >= LEAST
        hollow = {"marker": marker, "markerfacecolor": "white", "markevery": (20, 60)}
        axis.loglog(n[keep], theorem[keep], color=colour, linestyle=":", **hollow)
        same = where(mine, pair=said.REORDERED).drop_duplicates("n")
        axis.loglog(same["n"], same["exact_error"], color=BLACK, linestyle="--", linewidth=1.0)
    title = f"{title}, $\\rho={float(where(rows, pair=said.CHANGED)['distance'].iloc[0]):g}$"
    axis.set(xlabel="posterior draws $n$", ylabel="mean of both errors", title=title, ylim=(LEAST, 1.0))
    axis.set_xlim(0.8, rows["n"].max() * 8.0)
    axis.legend(loc="lower right")
