"""Table 4.1 drawn as it is printed, with what was computed beside each of its cells."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from dpsampling.release.style import house_style, subplots

# Property: what the table calls it, what it says of the Laplace mechanism and of OPS.
PRINTED = {
    "sensitivity": (
        "sensitivity",
        r"$\sup\,\Vert S(X^{\prime})-S(X)\Vert_1$",
        r"$\sup\,|\theta^{\top}(S(x^{\prime})-S(x))+\ln h(x^{\prime})-\ln h(x)|$",
    ),
    "scale": ("$S(X)$ is", "noised", "rescaled"),
    "draws": ("release (draws)", "statistics", "one sample"),
    "efficiency": ("ARE", "1", "$1+T$"),
    "gibbs-cost": ("Gibbs cost", "paid once", "paid per update, unless converged"),
}
MECHANISMS = {"laplace": "Laplace mechanism", "ops": "OPS (exponential mechanism)"}
COMPUTED = {
    "sensitivity": "{}",
    "scale": "times {}",
    "draws": "{}",
    "efficiency": "{}",
    "gibbs-cost": "$\\varepsilon$ = {}",
}
# Left ends of the columns and their heads, as shares of the width.
EDGES, HEADS = (0.0, 0.15, 0.36, 0.50, 0.885), ("", "printed", "computed", "printed", "computed")
TOP, STEP = 0.78, 0.15


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Five rows; for either mechanism a printed and a computed column."""
    values = table.set_index(["mechanism", "property"])["value"]
    with house_style():
        figure, (axes,) = subplots(height=1.9)
        axes.axis("off")
        axes.set(xlim=(0.0, 1.0), ylim=(0.0, 1.0))
        for column, mechanism in zip((1, 3), MECHANISMS.values(), strict=True):
            axes.text(EDGES[column], TOP + STEP, mechanism, va="center", fontweight="bold")
            end = EDGES[column + 2] - 0.02 if column + 2 < len(EDGES) else 1.0
            axes.plot([EDGES[column], end], [TOP + STEP / 2.0] * 2, color="black", linewidth=0.5)
        for x, head in zip(EDGES, HEADS, strict=True):
            axes.text(x, TOP, head, va="center", style="italic")
        for place, (name, printed) in enumerate(PRINTED.items()):
            computed = [COMPUTED[name].format(_number(float(values[m, name]))) for m in MECHANISMS]
            cells = (printed[0], printed[1], computed[0], printed[2], computed[1])
            for x, cell in zip(EDGES, cells, strict=True):
                axes.text(x, TOP - (place + 1) * STEP, cell, va="center", fontsize=7.5)
        for y, thick in ((1.0, 1.0), (TOP - STEP / 2.0, 0.6), (TOP - (len(PRINTED) + 0.55) * STEP, 1.0)):
            axes.axhline(y, color="black", linewidth=thick, clip_on=False)
        axes.set_title(
            rf"computed for the truncated Beta-Bernoulli: $\varepsilon={params['epsilon']:g}$, "
            rf"$a_0={params['truncation']:g}$, $p={params['p']:g}$, $N={params['n']:,}$, "
            f"{params['steps']} Gibbs updates",
            pad=8.0,
        )
        return figure


def _number(value: float) -> str:
    return "any number" if math.isinf(value) else f"{value:.4g}"
