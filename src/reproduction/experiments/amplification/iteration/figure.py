"""Amplification by iteration, one panel a contraction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullLocator

from dpsampling.amplification.names import OPTIMAL, PRINTED, UNRELAXED
from dpsampling.release.style import BLUE, GREEN, PURPLE, VERMILION, CurveStyle, house_style, subplots
from reproduction.experiments.amplification.iteration import EXACT

STYLES = {
    PRINTED: CurveStyle(r"printed, $L^{r+1}/r$", PURPLE, "--", ""),
    UNRELAXED: CurveStyle(r"unrelaxed, path $\Delta_i\propto L^i$", GREEN, "-.", ""),
    OPTIMAL: CurveStyle(r"optimal, path $\Delta_i\propto L^{2i}$", BLUE, "-", ""),
    EXACT: CurveStyle("exact, affine maps", VERMILION, "-", "o"),
}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """ε against the number of steps; the exact values are markers, on the optimal line."""
    del params  # all of it is in the table
    table = table[table["contraction"] <= 1]
    contractions = sorted(table["contraction"].unique())
    order, delta, sigma = (float(table[name].iloc[0]) for name in ("order", "delta", "sigma"))
    with house_style():
        columns = min(2, len(contractions))
        lines = -(-len(contractions) // columns)
        figure, panels = subplots(columns, rows=lines, height=0.9 + 2.1 * lines)
        for axes, contraction in zip(panels, contractions, strict=False):
            mine = table[(table["contraction"] == contraction) & (table["epsilon"] > 1e-300)]
            for curve, style in STYLES.items():
                rows = mine[mine["curve"] == curve].sort_values("steps", kind="stable")
                dash = "none" if curve == EXACT else style.dash
                lone = "o" if curve == EXACT or len(rows) == 1 else ""
                look: dict[str, Any] = {"color": style.colour, "linestyle": dash, "marker": lone, "markersize": 2.5}
                axes.plot(rows["steps"], rows["epsilon"], **look)
            axes.set_yscale("log")
            axes.yaxis.set_major_locator(LogLocator(numticks=7))
            axes.yaxis.set_minor_locator(NullLocator())
            axes.set_xlabel("steps $r$")
            axes.set_title(f"$L={contraction:g}$")
            _factor(axes, mine)
        for axes in panels[::columns]:
            axes.set_ylabel(rf"$\varepsilon$ at $\alpha={order:g}$, $\Delta={delta:g}$, $\sigma={sigma:g}$")
        for unused in panels[len(contractions) :]:
            unused.set_axis_off()
        handles = [
            Line2D([], [], **k.drawn() | {"linestyle": "none" if k.marker else k.dash, "markersize": 2.5})
            for k in STYLES.values()
        ]
        figure.legend(handles=handles, loc="outside lower center", ncols=2)
        return figure


def _factor(axes: Axes, rows: pd.DataFrame) -> None:
    """Write how far the printed bound is above the optimal one, at three lengths."""
    wide = rows.pivot_table(index="steps", columns="curve", values="epsilon").dropna()
    ratio = wide[PRINTED] / wide[OPTIMAL]
    chosen = ratio.iloc[sorted({(len(ratio) - 1) * i // 3 for i in (1, 2, 3)})] if len(ratio) else ratio
    lines = ["printed / optimal", *(f"{value:.3g} at $r={steps}$" for steps, value in chosen.items())]
    axes.text(0.98, 0.98, "\n".join(lines), transform=axes.transAxes, ha="right", va="top", fontsize=7)
