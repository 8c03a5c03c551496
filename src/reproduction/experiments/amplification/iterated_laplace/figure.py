"""Iterated Laplace noise, one panel a second scale."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullFormatter

from dpsampling.release.style import BLUE, GREEN, PURPLE, VERMILION, CurveStyle, house_style, subplots
from reproduction.experiments.amplification.iterated_laplace import BOUND, EXACT, FIRST, HIGH, SECOND

STYLES = {
    SECOND: CurveStyle(r"Laplace$(\lambda_2)$ alone", GREEN, "-.", "D"),
    FIRST: CurveStyle(r"Laplace$(\lambda_1)$ alone", PURPLE, ":", "v"),
    BOUND: CurveStyle(r"both, by (6.2) at its best $w$", BLUE, "--", "o"),
    EXACT: CurveStyle("both, exact", VERMILION, "-", "^"),
}
LIMIT = (0, (1, 3))


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """ε against the order on a logarithmic axis; a dotted line at the limit Δ/max(λ₁, λ₂) of Lemma 5."""
    if HIGH not in params["orders"]:
        table = table[table["order"] != HIGH]
    seconds = sorted(table["scale2"].unique())
    with house_style():
        figure, panels = subplots(len(seconds), height=2.9, sharey=True)
        for axes, second in zip(panels, seconds, strict=True):
            mine = table[table["scale2"] == second]
            delta, first = float(mine["delta"].iloc[0]), float(mine["scale1"].iloc[0])
            for number, (curve, style) in enumerate(STYLES.items()):
                rows = mine[mine["curve"] == curve].sort_values("order", kind="stable")
                every = (5 * number, 20) if len(rows) > 20 else 1  # where curves coincide, their markers alternate
                axes.plot(rows["order"], rows["epsilon"], **style.drawn(), markevery=every)
            axes.axhline(delta / max(first, second), color="0.35", linewidth=0.8, linestyle=LIMIT)
            axes.set_xscale("log")
            axes.xaxis.set_minor_formatter(NullFormatter())
            axes.set_ylim(bottom=0.0)
            axes.set_xlabel(r"order $\alpha$")
            axes.set_title(rf"$\lambda_1={first:g}$, $\lambda_2={second:g}$, $\Delta={delta:g}$")
        panels[0].set_ylabel(r"Rényi level $\varepsilon(\alpha)$ in nats")
        handles = [Line2D([], [], **style.drawn()) for style in STYLES.values()]
        limit = r"limit $\Delta/\max(\lambda_1,\lambda_2)$"
        handles.append(Line2D([], [], color="0.35", linewidth=0.8, linestyle=LIMIT, label=limit))
        figure.legend(handles=handles, loc="outside lower center", ncols=3)
        return figure
