"""R̂ and the agreement of the chains' states against ε."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.event_logs import names
from dpsampling.release.style import barred, house_style, subplots
from reproduction.experiments.warlogs.convergence import AGREEMENT, CONVERGED, R_HAT
from reproduction.experiments.warlogs.styles import NON_PRIVATE, epsilon_axis, private, tagged
from reproduction.experiments.warlogs.text import title


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """One column a log."""
    logs = list(dict.fromkeys(table["log"]))
    with house_style():
        figure, panels = subplots(len(logs), rows=2, height=4.8, sharey="row", sharex=True)
        for i, (quantity, log) in enumerate((q, g) for q in (R_HAT, AGREEMENT) for g in logs):
            _curves(panels[i], table[(table["log"] == log) & (table["quantity"] == quantity)])
            panels[i].set_title(title(table, log))
            tagged(panels[i], table, log)
            if quantity == R_HAT:
                panels[i].set_yscale("log")
                panels[i].axhline(CONVERGED, color="0.4", linewidth=0.8, linestyle=":")
            else:
                panels[i].set_xlabel(r"privacy level $\varepsilon$")
        panels[0].set_ylabel(r"split $\hat R$ of the log joint density")
        panels[len(logs)].set_ylabel("adjusted Rand index\nof two chains' last states")
        pairs = params["chains"] * (params["chains"] - 1) // 2
        figure.suptitle(
            f"{params['chains']} chains of {params['iterations']} iterations; dotted: {CONVERGED:g}; "
            f"below: mean over {pairs} pair{'s' if pairs > 1 else ''} of chains, bars: from the least to the most"
        )
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure


def _curves(axes: Axes, rows: pd.DataFrame) -> None:
    plain = rows[rows["mechanism"] == names.NON_PRIVATE].iloc[0]
    axes.axhline(float(plain["value"]), color=NON_PRIVATE.colour, label=NON_PRIVATE.label)
    if plain["least"] < plain["most"]:
        axes.axhspan(float(plain["least"]), float(plain["most"]), color=NON_PRIVATE.colour, alpha=0.1, linewidth=0.0)
    for style, group in private(rows):
        barred(axes, group["epsilon"], group["value"], group["least"], group["most"], style)
    epsilon_axis(axes, rows["epsilon"])
