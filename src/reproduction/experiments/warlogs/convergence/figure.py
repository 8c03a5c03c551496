"""R̂ and the agreement of the chains' states against ε."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.event_logs import names
from dpsampling.release.style import barred, house_style, subplots
from reproduction.experiments.panels import legend
from reproduction.experiments.warlogs.convergence import AGREEMENT, CONVERGED, R_HAT
from reproduction.experiments.warlogs.styles import NON_PRIVATE, epsilon_axis, private, tagged


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """One column a log."""
    logs = list(dict.fromkeys(table["log"]))
    with house_style():
        figure, panels = subplots(len(logs), rows=2, height=4.8, sharey="row", sharex=True)
        for axes, (quantity, log) in zip(panels, product((R_HAT, AGREEMENT), logs), strict=True):
            _curves(axes, table[(table["log"] == log) & (table["quantity"] == quantity)])
            tagged(axes, table, log)
            if quantity == R_HAT:
                axes.set_yscale("log")
                axes.axhline(CONVERGED, color="0.4", linewidth=0.8, linestyle=":")
            else:
                axes.set_xlabel(r"privacy level $\varepsilon$")
        panels[0].set_ylabel(r"split $\hat R$ of the log joint density")
        panels[len(logs)].set_ylabel("adjusted Rand index\nof two chains' last states")
        pairs = params["chains"] * (params["chains"] - 1) // 2
        figure.suptitle(
            f"{params['chains']} chains of {params['iterations']} iterations; dotted: {CONVERGED:g}; "
            f"below: mean over {pairs} pair{'s' if pairs > 1 else ''} of chains, bars: from the least to the most"
        )
        legend(figure, panels[0], 3)
    return figure


def _curves(axes: Axes, rows: pd.DataFrame) -> None:
    plain = rows[rows["mechanism"] == names.NON_PRIVATE].iloc[0]
    axes.axhline(float(plain["value"]), color=NON_PRIVATE.colour, label=NON_PRIVATE.label)
    if plain["least"] < plain["most"]:
        axes.axhspan(float(plain["least"]), float(plain["most"]), color=NON_PRIVATE.colour, alpha=0.1, linewidth=0.0)
    for style, group in private(rows):
        barred(axes, group["epsilon"], group["value"], group["least"], group["most"], style)
    epsilon_axis(axes, rows["epsilon"])
