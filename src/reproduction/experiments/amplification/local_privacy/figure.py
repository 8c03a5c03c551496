"""Figure 6.2: the privacy of each kernel against its coefficients."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from dpsampling.amplification.names import DOBRUSHIN, DOEBLIN, LEVEL_DOBRUSHIN, ULTRA_MIXING
from dpsampling.release.style import BLUE, GREEN, PURPLE, VERMILION, CurveStyle, house_style, subplots

STYLES = {
    DOBRUSHIN: CurveStyle(r"$\gamma$-Dobrushin, $\delta$ at $\varepsilon=0$", BLUE, "-", "o"),
    LEVEL_DOBRUSHIN: CurveStyle(r"$(\gamma,\varepsilon)$-Dobrushin, $\delta$ at $\varepsilon$", GREEN, "-", "^"),
    ULTRA_MIXING: CurveStyle(r"$\gamma$-ultra-mixing", VERMILION, "-", "D"),
    DOEBLIN: CurveStyle(r"$\gamma$-Doeblin: above the line, not on it", PURPLE, "-", "v"),
}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Left the conditions that are a δ, right those that speak of ε; the lines are what Figure 6.2 says."""
    del params  # all of it is in the table
    with house_style():
        figure, (left, right) = subplots(2, height=3.2)
        left.plot([0.0, 1.0], [0.0, 1.0], color="0.35", linewidth=0.8, label=r"$\delta=\gamma$")
        for condition in (DOBRUSHIN, LEVEL_DOBRUSHIN):
            rows, style = table[table["condition"] == condition], STYLES[condition]
            left.plot(
                rows["gamma"], rows["ldp_delta"], style.marker, color=style.colour, label=style.label, **_points()
            )
        left.set(xlabel=r"coefficient $\gamma$", ylabel=r"local privacy $\delta$, over all events")
        spread = []
        for condition in (DOEBLIN, ULTRA_MIXING):
            rows, style = table[table["condition"] == condition], STYLES[condition]
            rows = rows[(rows["gamma"] < 1.0 - 1e-9) & np.isfinite(rows["ldp_epsilon"]) & (rows["ldp_epsilon"] > 0)]
            x = -np.log1p(-rows["gamma"])
            spread += [*x]
            right.plot(x, rows["ldp_epsilon"], style.marker, color=style.colour, label=style.label, **_points())
        if spread:
            ends = [min(spread), max(spread)]
            right.plot(ends, ends, color="0.35", linewidth=0.8, label=r"$\varepsilon=\ln\frac{1}{1-\gamma}$")
            right.set(xscale="log", yscale="log")
        right.set(xlabel=r"$\ln\,1/(1-\gamma)$", ylabel=r"local privacy $\varepsilon$ at $\delta=0$, over all events")
        figure.legend(loc="outside lower center", ncols=3)
        return figure


def _points() -> dict[str, Any]:
    return {"markersize": 3.0, "markeredgewidth": 0.4, "markerfacecolor": "none"}
