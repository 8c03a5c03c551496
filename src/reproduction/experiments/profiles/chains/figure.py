"""Figures 7.5–7.8: one curve a profile, and a vertical line at ε = 0.2 that shows the spread there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from dpsampling.release.style import SEQUENCE, SINGLE, house_style, subplots
from reproduction.experiments.profiles.chains import RESPONSE, SMOOTH

NAMES = {RESPONSE: "randomized response", SMOOTH: "smooth one-bit mechanism"}
LINE = 0.2


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Pr(output = 1) against ε."""
    size = int(params["chain"])
    colours = mpl.colormaps[SEQUENCE](np.linspace(0.0, 0.9, size))
    with house_style():
        figure, (axes,) = subplots(width=SINGLE, height=3.0)
        for (_, mine), colour in zip(table.groupby("profile"), colours, strict=False):
            marker = "o" if len(mine) == 1 else ""
            axes.plot(mine["epsilon"], mine["probability"], color=colour, marker=marker, linewidth=1.1)
        axes.axvline(LINE, color="0.2", linewidth=0.9, linestyle="--")
        axes.set_ylim(0.0, 1.0)
        axes.set_xlim(0.0, max(float(table["epsilon"].max()), 1.1 * LINE))
        axes.set_xlabel(r"privacy level $\varepsilon$ in nats")
        axes.set_ylabel(r"$\Pr(\mathrm{output}=1)$")
        axes.set_title(f"{NAMES[params['mechanism']]}, \nchain of {size} Bernoulli profiles")
        scale = mpl.cm.ScalarMappable(mpl.colors.Normalize(0.0, 1.0 / 0.9), SEQUENCE)
        bar = figure.colorbar(scale, ax=axes, label="$p$ of the profile", boundaries=np.linspace(0, 1, 201))
        bar.set_ticks([0.0, 0.25, 0.5, 0.75, 1.0])
        return figure
