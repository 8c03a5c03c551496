"""The share of cells recovered, one point a simulated log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from dpsampling.style import STATES, house_style, subplots


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """One row a log."""
    logs = list(dict.fromkeys(table["log"]))
    with house_style():
        figure, (axes,) = subplots(width=6.0, height=1.2 + 0.5 * len(logs))
        for place, log in enumerate(logs):
            shares = table.loc[table["log"] == log, "share"]
            axes.plot(
                shares,
                [place] * len(shares),
                linestyle="none",
                marker="o",
                markersize=6,
                alpha=0.7,
                color=STATES[place],
            )
        axes.axvline(0.95, color="0.4", linewidth=0.8, linestyle=":")
        axes.set_yticks(range(len(logs)), logs)
        axes.set_ylim(-0.6, len(logs) - 0.4)
        axes.set_xlim(right=1.002)
        axes.set_xlabel(f"share of cells recovered by a fit of {params['states']} states (dotted: 95%)")
        axes.set_title("Planted states of simulated logs, one point a simulated log")
    return figure
