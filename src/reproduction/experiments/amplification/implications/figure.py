"""Figure 6.1: the chain of implications, and how often each one fails on random kernels."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise, permutations
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from dpsampling.amplification.names import LEVEL_DOBRUSHIN
from dpsampling.release.style import BLUE, VERMILION, house_style, subplots
from reproduction.experiments.amplification.implications import CHAIN

HOLDS, FAILS = BLUE, VERMILION


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Left the chain, with neighbouring converses; right every ordered pair."""
    del params  # all of it is in the table
    counts = table[["premise", "conclusion", "kernels", "violations"]]
    share = {(p, c): v / n for p, c, n, v in counts.itertuples(index=False)}
    kernels = int(table["kernels"].max())
    with house_style():
        figure, (chain, matrix) = subplots(2, height=3.2, width_ratios=[5, 8])
        _chain(chain, share)
        _matrix(matrix, share)
        chain.set_title(f"(a) {kernels} random kernels")
        matrix.set_title("(b) share on which the premise's γ is not enough")
        return figure


def _chain(axes: Axes, share: dict[tuple[str, str], float]) -> None:
    """Boxes from the strongest condition at the top to the weakest."""
    axes.set_axis_off()
    axes.set(xlim=(0.0, 1.0), ylim=(-0.5, len(CHAIN) - 0.5))
    heights = np.arange(len(CHAIN))[::-1].astype(float)
    for name, y in zip(CHAIN, heights, strict=True):
        box = {"boxstyle": "round,pad=0.45", "facecolor": "white", "edgecolor": "0.35"}
        axes.text(0.5, y, _named(name), ha="center", va="center", bbox=box)
    for i, (upper, lower) in enumerate(pairwise(CHAIN)):
        top, bottom = heights[i] - 0.24, heights[i + 1] + 0.24
        down, up = (0.42, (top, bottom), (upper, lower), -1), (0.58, (bottom, top), (lower, upper), 1)
        for x, ends, pair, side in (down, up):
            fails = share[pair]
            colour, dash = (HOLDS, "-") if fails == 0 else (FAILS, (0, (3, 2)))
            look: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 11, "color": colour, "linestyle": dash}
            axes.add_patch(FancyArrowPatch((x, ends[0]), (x, ends[1]), **look))
            words = "holds on all" if fails == 0 else f"fails on {fails:.1%}"
            away = "left" if side > 0 else "right"
            axes.text(x + 0.04 * side, heights[i] - 0.5, words, color=colour, ha=away, va="center", fontsize=7.5)


def _matrix(axes: Axes, share: dict[tuple[str, str], float]) -> None:
    """Premises down, conclusions across; the cell says on how many kernels the implication fails."""
    places, names = range(len(CHAIN)), [_named(name).replace("-", "\n", 1) for name in CHAIN]
    values = np.array([[share.get((p, c), np.nan) for c in CHAIN] for p in CHAIN])
    colours = mpl.colormaps["Oranges"].with_extremes(bad="0.9", under="white")
    axes.imshow(np.ma.masked_invalid(values), cmap=colours, vmin=1e-9, vmax=1.6, aspect="auto")
    for i, j in permutations(places, 2):
        fails = values[i, j]
        words, weight = ("0", "bold") if fails == 0 else (f"{fails:.1%}", "normal")
        axes.text(j, i, words, ha="center", va="center", weight=weight, color=HOLDS if fails == 0 else "0.15")
    axes.set_xticks(places, names)
    axes.set_yticks(places, names)
    axes.set(xlabel="conclusion", ylabel="premise")
    axes.grid(visible=False)
    axes.tick_params(length=0)


def _named(condition: str) -> str:
    return r"$(\gamma,\varepsilon)$-Dobrushin" if condition == LEVEL_DOBRUSHIN else rf"$\gamma$-{condition}"
