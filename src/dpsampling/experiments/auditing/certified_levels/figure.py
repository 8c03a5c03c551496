"""What is left of target and promise, against ε, one point a setting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from dpsampling.experiments.auditing.certified_levels import BELOW_PROMISE, BELOW_TARGET, DISTORTED, left
from dpsampling.style import house_style, lines, subplots

SMALLEST = 1e-12  # noisy gradients with many steps behind them promise far less, and are left out
FLOOR = 1e-17  # where what is exact, or further below than a float can tell, is drawn


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Calibrated mechanisms on the left, all on the right."""
    del params
    looks = lines(list(dict.fromkeys(table["mechanism"])), {})
    reached = table[table["distorted"] == DISTORTED]
    promised = table[np.isfinite(table["promised"]) & (table["promised"] > SMALLEST)]
    panels = (
        ("(target − upper end)/target", "target $\\varepsilon$", reached, BELOW_TARGET),
        ("(promise − upper end)/promise", "promised $\\varepsilon$", promised, BELOW_PROMISE),
    )
    with house_style():
        figure, axes = subplots(columns=2, height=3.9, sharey=True)
        for panel, (title, label, rows, limit) in zip(axes, panels, strict=True):
            for name, look in looks.items():
                mine = rows[rows["mechanism"] == name]
                unused = np.maximum(left(mine, limit).to_numpy(dtype=float), FLOOR)
                panel.plot(mine[limit], unused, look.marker, color=look.colour, markersize=2.2, alpha=0.7)
            panel.set_xscale("log")
            panel.set_yscale("log")
            panel.set_title(title)
            panel.set_xlabel(label)
        axes[0].set_ylabel("left over (1e-17: nothing)")
        axes[0].set_ylim(FLOOR / 3, 3.0)
        handles = [
            axes[0].plot([], [], look.marker, color=look.colour, markersize=4, label=look.label)[0]
            for look in looks.values()
        ]
        figure.legend(handles=handles, loc="outside lower center", ncols=5)
        return figure
