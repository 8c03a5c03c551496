"""The costs of private Markov chains as bars."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from dpsampling.style import BLUE, GREEN, VERMILION, house_style, subplots


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """ε of each method; methods that also have a δ say so."""
    methods, costs = [str(method) for method in table["method"]], table["epsilon"].to_numpy(dtype=float)
    deltas = table["delta"].to_numpy(dtype=float)
    labels = [m + (rf" ($\delta={d:.2g}$)" if d > 0 else "") for m, d in zip(methods, deltas, strict=True)]
    colours = [VERMILION if "as printed" in m else GREEN if "exact" in m else BLUE for m in methods]
    with house_style():
        figure, (axes,) = subplots(width=7.0, height=0.32 * len(table) + 1.3)
        places = np.arange(len(table))[::-1]
        bars = axes.barh(places, costs, color=colours, height=0.7)
        axes.bar_label(bars, [f"{cost:.3g}" for cost in costs], padding=3, fontsize=7)
        axes.set_yticks(places, labels)
        axes.set_xscale("log")
        axes.margins(x=0.12)
        axes.set_xlabel(r"privacy cost $\varepsilon$")
        axes.set_title(rf"truncated Beta-Bernoulli, $a_0={params['truncation']:g}$, $N={params['n']}$")
        axes.grid(visible=False, axis="y")
        return figure
