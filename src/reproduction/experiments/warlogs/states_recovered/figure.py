"""The share of cells recovered, one point a simulated log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from dpsampling.release.style import BLACK, BLUE, SINGLE, house_style, subplots, tag

ENOUGH = 0.95
APART = 0.5  # of a row, over which points are spread so that equal ones are all seen


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """One row a log, its mean as a stroke."""
    logs = list(dict.fromkeys(table["log"]))
    with house_style():
        figure, (axes,) = subplots(width=SINGLE, height=1.2 + 0.5 * len(logs))
        for place, log in enumerate(logs):
            shares = table.loc[table["log"] == log, "share"]
            heights = place + APART * (np.arange(len(shares)) / max(len(shares) - 1, 1) - 0.5)
            axes.plot(shares, heights, linestyle="none", marker="o", markersize=4, markerfacecolor="none", color=BLUE)
            axes.vlines(float(shares.mean()), place - 0.4, place + 0.4, color=BLACK, linewidth=1.4)
        axes.axvline(ENOUGH, color="0.4", linewidth=0.8, linestyle=":")
        axes.set_yticks(range(len(logs)), [str(log).capitalize() for log in logs])
        axes.set_ylim(-0.6, len(logs) - 0.4)
        axes.set_xlim(min(ENOUGH - 0.01, float(table["share"].min()) - 0.01), 1.004)
        axes.grid(visible=False, axis="y")
        axes.set_xlabel(
            f"share of cells recovered, {params['states']} states\n(dotted: {ENOUGH:g}; stroke: mean of "
            f"{params['repeats']} logs)"
        )
        tag(axes, "simulated logs")
    return figure
