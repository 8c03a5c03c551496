"""Records reconstructed from noisy sums, and the examples' numbers as printed and as computed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release import style
from reproduction.experiments.foundations import examples as said
from reproduction.experiments.foundations.rows import where

LOOKS = [style.CYCLE[name] for name in ("blue", "green", "purple")] + [(style.BLACK, "--", "s")]
PRINTED = {**style.PUBLISHED, "markersize": 7, "markeredgecolor": style.BLACK}
SHOWN = {  # example and quantity: label
    ("2.3", "distance"): "Ex. 2.3  distance",
    ("2.3", f"{said.VECTOR}, sample 1"): "Ex. 2.3  first entry of the difference",
    ("2.3", f"{said.VECTOR}, sample 2"): "Ex. 2.3  second entry",
    ("2.4", "distance"): "Ex. 2.4  distance",
    **{("2.11", f"κ({x})"): rf"Ex. 2.11  $\kappa({x})$" for x in range(3)},
    ("2.11", "κ"): r"Ex. 2.11  $\kappa$",
    ("2.13", "κ, 3 kinds in 2 bins"): r"Ex. 2.13  $\kappa$",
    ("2.23", "accuracy at 0"): "Ex. 2.23  accuracy of the constant 2",
    ("2.23", said.INSIDE): "Ex. 2.23  share of outputs in $\\{0,1\\}$",
    ("4.1", f"{said.LEVEL}, p = 1/2"): r"Sect. 4.1  level, $p=q=1/2$",
    ("4.1", f"{said.LEVEL}, p = 1/4"): r"Sect. 4.1  level, $p=q=1/4$",
    ("4.1a", "level ε"): "Ex. 4.1a  level",
    ("4.1a", said.ZERO): "Ex. 4.1a  accuracy",
    ("4.1b", "level ε"): "Ex. 4.1b  level",
    ("4.1b", "probability of a flip"): "Ex. 4.1b  flips",
    ("5.1a", "probability of noise beyond 2.303"): r"Ex. 5.1a  noise beyond $\ln 10$",
    ("5.1b", "probability of noise beyond 1"): "Ex. 5.1b  noise beyond 1",
}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Left the attack, right the numbers."""
    with style.house_style():
        figure, (left, right) = style.subplots(2, height=4.2, width_ratios=[1, 1])
        _attack(left, table, int(params["n"]), int(params["repeats"]))
        _numbers(right, table)
        return figure


def _attack(axes: Axes, table: pd.DataFrame, n: int, repeats: int) -> None:
    rows = where(table, example=said.ATTACK)
    for queries, look in zip(sorted(rows["queries"].unique()), LOOKS, strict=False):
        mine, curve = where(rows, by="noise", queries=queries), style.CurveStyle(f"{int(queries) * n} sums", *look)
        style.barred(axes, mine["noise"], mine["computed"], mine["least"], mine["most"], curve)
    axes.axhline(0.5, color="0.5", linewidth=0.8)
    axes.text(0.0, 0.51, "guessing", color="0.4", fontsize=style.SMALLEST)
    axes.set(
        xlabel=r"largest noise of a sum over $\sqrt{n}$",
        ylabel="share of records recovered",
        ylim=(0.45, 1.03),
        title=f"(a) {n} secret bits from noisy sums of subsets,\n{repeats} repeats: mean, least and most",
    )
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2)


def _numbers(axes: Axes, table: pd.DataFrame) -> None:
    rows = {(row["example"], row["quantity"]): row for row in table.to_dict("records")}
    heights = np.arange(len(SHOWN))[::-1]
    for height, key in zip(heights, SHOWN, strict=True):
        printed, computed = float(rows[key]["printed"]), float(rows[key]["computed"])
        agree = abs(printed - computed) < 1e-9
        colour = style.BLUE if agree else style.VERMILION
        if not agree:
            axes.plot([printed, computed], [height, height], color=style.VERMILION, linewidth=1.0)
        axes.plot(computed, height, "." if agree else "X", color=colour, markersize=5)
        axes.plot(printed, height, **PRINTED)
    axes.plot([], [], **PRINTED, label="printed")
    axes.plot([], [], ".", color=style.BLUE, label="computed, the same")
    axes.plot([], [], "X", color=style.VERMILION, markersize=5, label="computed, another")
    axes.set_yticks(heights, list(SHOWN.values()))
    axes.set(xlabel="value", title="(b) the examples' numbers", xlim=(-0.15, 3.3))
    axes.legend(loc="upper center", bbox_to_anchor=(0.2, -0.14), ncols=2)
