"""Figures 5.1 and 5.2: ε against λ, one curve a scale, with the published points."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from dpsampling.release.style import PUBLISHED, SEQUENCE, house_style, subplots
from reproduction.experiments.renyi import published
from reproduction.experiments.renyi.levels import CORRECT, PRINTED, SYMBOLS

ASYMPTOTE = (0, (1, 3))
MARKERS = "osD^vP*X"  # of published points, one a scale
RINGS = {**PUBLISHED, "markersize": 2.6, "markeredgewidth": 0.6}
TOP = 2.0  # of the published figures


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Left the levels, as in the source; right what Corollary 16 as printed gives, as a fraction of them."""
    symbol = SYMBOLS[params["algorithm"]]
    points = published.points(params)
    smallest_shape = min(params["prior"][0], params["prior"][1] - params["prior"][0])
    scales, top_order = sorted(table["scale"].unique()), float(table["order"].max())
    drawn = points["curve"].isin([str(float(scale)) for scale in scales]).any()
    colours = mpl.colormaps[SEQUENCE](np.linspace(0.0, 0.85, len(scales)))
    drawn_variants = table[table["variant"].isin((CORRECT, PRINTED))]
    wide = drawn_variants.pivot_table(index=["scale", "order"], columns="variant", values="epsilon")
    with house_style():
        figure, (levels, ratios) = subplots(2, height=3.7, width_ratios=[3, 2])
        handles = []
        for scale, colour, marker in zip(scales, colours, cycle(MARKERS), strict=False):
            rows = wide.loc[scale]
            finite = rows[np.isfinite(rows["correct"])]
            lone = "o" if len(rows) == 1 else ""  # a single order has no line
            levels.plot(finite.index, finite["correct"], color=colour, marker=lone)
            both = rows[np.isfinite(rows).all(axis=1) & (rows["correct"] > 0)]
            ratios.plot(both.index, both["printed"] / both["correct"], "--", color=colour, marker=lone)
            levels.plot(both.index, both["printed"], "--", color=colour, linewidth=1.0)
            mine = points[points["curve"] == str(float(scale))]
            levels.plot(mine["x"], mine["y"], color=colour, **{**RINGS, "marker": marker})
            _ratio_points(ratios, both, mine, colour, marker)
            ring = {**RINGS, "linestyle": "-", "marker": marker if drawn else "", "markersize": 4}
            handles.append(Line2D([], [], color=colour, label=f"${symbol}={scale:g}$", **ring))
            horizon = 1.0 + smallest_shape / scale
            if horizon < top_order:
                levels.axvline(horizon, color=colour, linewidth=0.8, linestyle=ASYMPTOTE)
        handles += [
            Line2D([], [], color="0.35", label="achievable level"),
            Line2D([], [], color="0.35", linestyle="--", linewidth=1.0, label="Corollary 16 as printed"),
            Line2D([], [], color="0.35", linestyle=ASYMPTOTE, linewidth=0.8, label=r"asymptote $\lambda^*$"),
        ]
        if drawn:
            handles.append(Line2D([], [], color="0.35", **{**RINGS, "markersize": 4}, label="markers: as published"))
        known = table.loc[np.isfinite(table["epsilon"]), "epsilon"]
        levels.set_ylim(0.0, TOP if drawn else 1.1 * float(known.quantile(0.98)) if len(known) else 1.0)
        levels.set_ylabel(r"Rényi level $\varepsilon(\lambda)$, in nats")
        ratios.set_ylabel(r"$\varepsilon$ as printed / $\varepsilon$ achievable")
        ratios.axhline(1.0, color="0.35", linewidth=0.8, zorder=1)  # below a curve that is 1 throughout
        for axes in (levels, ratios):
            axes.set_xlim(1.0, max(top_order, 1.0 + 1e-9))
            axes.set_xlabel(r"order $\lambda$")
            axes.ticklabel_format(useOffset=False)
            axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
        levels.set_title(rf"(a) $\eta_0=({', '.join(f'{v:g}' for v in params['prior'])})$, $n={params['n']}$")
        ratios.set_title("(b) the corollary's error")
        figure.legend(handles=handles, loc="outside lower center", ncols=5)
        return figure


def _ratio_points(axes: Axes, both: pd.DataFrame, points: pd.DataFrame, colour: Any, marker: str) -> None:
    """Published ε over the achievable one, where the level is large enough for four decimals to say something."""
    if points.empty or both.empty:
        return
    mine = points[(points["y"] > 0.02) & points["x"].between(both.index.min(), both.index.max())]
    achievable = np.interp(mine["x"], both.index, both["correct"])
    axes.plot(mine["x"], mine["y"] / achievable, color=colour, **{**RINGS, "marker": marker})
