"""States in use against ε, one panel a log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from dpsampling.event_logs import names
from dpsampling.release.style import house_style, subplots, two_errors
from reproduction.experiments.panels import legend
from reproduction.experiments.warlogs.styles import NON_PRIVATE, epsilon_axis, private, tagged


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Means over fits with two standard errors; the non-private one as a line with a band."""
    logs = list(dict.fromkeys(table["log"]))
    with house_style():
        figure, panels = subplots(len(logs), height=3.1, sharey=True)
        for axes, log in zip(panels, logs, strict=True):
            rows = table[table["log"] == log]
            plain = rows[rows["mechanism"] == names.NON_PRIVATE].iloc[0]
            mean, room = float(plain["states"]), 2.0 * float(plain["sem"])
            axes.axhline(mean, color=NON_PRIVATE.colour, linewidth=1.0, label=NON_PRIVATE.label)
            axes.axhspan(mean - room, mean + room, color=NON_PRIVATE.colour, alpha=0.1, linewidth=0.0)
            for style, group in private(rows):
                two_errors(axes, group["epsilon"], group["states"], group["sem"], style)
            epsilon_axis(axes, rows["epsilon"])
            axes.set_ylim(0.0, params["states"] + 0.5)
            axes.set_xlabel(r"privacy level $\varepsilon$")
            tagged(axes, table, log)
        panels[0].set_ylabel(f"states that hold over 5% of cells,\nof {params['states']}")
        figure.suptitle(f"States in use: means of {table['fits'].iloc[0]} fits; bars and band: 2 s.e.")
        legend(figure, panels[0], 3)
    return figure
