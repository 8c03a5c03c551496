"""The costs of private Markov chains, a dot each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dpsampling.release.style import BLUE, GREEN, VERMILION, CurveStyle, dots, house_style, subplots
from reproduction.experiments.posteriors.chain_costs import EXAMPLE, PRINTED

PROVED = CurveStyle("bound", BLUE, "-", "o")
STYLES = {
    PRINTED: CurveStyle("bound as printed", VERMILION, "-", "X"),
    EXAMPLE: CurveStyle("exact loss of an example", GREEN, "-", "D"),
}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """ε of each method; methods that also have a δ say so."""
    methods = [str(method) for method in table["method"]]
    labels = [m + (rf" ($\delta={d:.2g}$)" if d > 0 else "") for m, d in zip(methods, table["delta"], strict=True)]
    styles = [STYLES.get(method, PROVED) for method in methods]
    with house_style():
        figure, (axes,) = subplots(height=0.22 * len(table) + 1.1)
        dots(axes, labels, table["epsilon"].tolist(), styles, [f"{cost:.3g}" for cost in table["epsilon"]])
        axes.set_xscale("log")
        axes.margins(x=0.12)
        axes.set_xlabel(r"privacy cost $\varepsilon$")
        axes.set_title(rf"truncated Beta-Bernoulli, $a_0={params['truncation']:g}$, $N={params['n']}$")
        handles = [
            Line2D([], [], linestyle="none", color=style.colour, marker=style.marker, label=style.label)
            for style in (PROVED, *STYLES.values())
            if style in styles
        ]
        figure.legend(handles=handles, loc="outside lower center", ncols=3)
        return figure
