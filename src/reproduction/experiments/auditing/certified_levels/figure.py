"""What is left of target and promise, against ε, one point a setting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullLocator

from dpsampling.release.style import BLUE, VERMILION, CurveStyle, house_style, subplots
from reproduction.experiments.auditing.certified_levels import BELOW_PROMISE, BELOW_TARGET, DISTORTED, left

SMALLEST = 1e-12  # noisy gradients with many steps behind them promise far less, and are left out
FLOOR = 1e-17  # where what is exact, or further below than a float can tell, is drawn
TARGET = CurveStyle("of the target: (target − upper end)/target", BLUE, "-", "o")
PROMISE = CurveStyle("of the promise: (promise − upper end)/promise", VERMILION, "-", "D")


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """A panel a mechanism; what is calibrated has a target besides its promise."""
    del params
    mechanisms = list(dict.fromkeys(table["mechanism"]))
    reached = table[table["distorted"] == DISTORTED]
    promised = table[np.isfinite(table["promised"]) & (table["promised"] > SMALLEST)]
    drawn = ((TARGET, reached, BELOW_TARGET), (PROMISE, promised, BELOW_PROMISE))
    columns = min(4, len(mechanisms))
    with house_style():
        rows = -(-len(mechanisms) // columns)
        figure, axes = subplots(columns, rows=rows, height=0.8 + 1.45 * rows, sharey=True)
        for panel, name in zip(axes, mechanisms, strict=False):
            for style, settings, limit in drawn:
                mine = settings[settings["mechanism"] == name]
                unused = np.maximum(left(mine, limit).to_numpy(dtype=float), FLOOR)
                panel.plot(mine[limit], unused, linestyle="none", markersize=2.4, markeredgewidth=0.5, **_of(style))
            panel.set_xscale("log")
            panel.set_yscale("log")
            panel.xaxis.set_major_locator(LogLocator(numticks=4))
            panel.xaxis.set_minor_locator(NullLocator())
            panel.set_title(name.replace("-", " "))
            panel.set_xlabel(r"$\varepsilon$ in nats")
        for unused_panel in axes[len(mechanisms) :]:
            unused_panel.set_axis_off()
        for panel in axes[::columns]:
            panel.set_ylabel("share unused")
        axes[0].set_ylim(FLOOR / 3, 3.0)
        handles = [Line2D([], [], linestyle="none", label=style.label, **_of(style)) for style in (TARGET, PROMISE)]
        title = f"what the certified upper end of the exact level leaves unused; 0 stands at {FLOOR:g}"
        figure.legend(handles=handles, loc="outside lower center", ncols=2, title=title)
        return figure


def _of(style: CurveStyle) -> dict[str, Any]:
    hollow = style is PROMISE
    return {"marker": style.marker, "color": style.colour, "markerfacecolor": "none" if hollow else style.colour}
