"""Growth of the linear programs, on logarithmic axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from dpsampling.release.style import BLUE, GREEN, VERMILION, house_style, subplots
from reproduction.experiments.profiles.sizes import CHAIN, RANDOM

STYLES = {"variables": (BLUE, "-", "o"), "constraints": (VERMILION, "--", "^"), "nonzeros": (GREEN, "-.", "D")}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """A panel a kind of graph."""
    titles = {
        CHAIN: "chains, smooth one-bit",
        RANDOM: f"random graphs, {params['categories']} categories, average degree {params['degree']:g}",
    }
    with house_style():
        figure, panels = subplots(2, height=2.8)
        for axes, (setting, title) in zip(panels, titles.items(), strict=True):
            rows = table[table["setting"] == setting]
            for name, (colour, dash, marker) in STYLES.items():
                axes.loglog(rows["profiles"], rows[name], color=colour, linestyle=dash, marker=marker, label=name)
            axes.set_xticks(rows["profiles"], [str(size) for size in rows["profiles"]])
            axes.xaxis.set_minor_locator(NullLocator())
            axes.set_xlabel("profiles")
            axes.set_title(title)
        panels[0].set_ylabel(rf"size of the program at $\varepsilon={params['epsilon']:g}$")
        panels[0].legend()
        return figure
