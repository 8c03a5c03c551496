"""R̂ and the agreement of the chains' states against ε."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from dpsampling.experiments.warlogs.convergence import AGREEMENT, CONVERGED, R_HAT
from dpsampling.experiments.warlogs.looks import NON_PRIVATE, drawn, private
from dpsampling.experiments.warlogs.text import origin, title
from dpsampling.style import house_style, subplots
from dpsampling.warlogs import names


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """One column a log."""
    logs = list(dict.fromkeys(table["log"]))
    with house_style():
        figure, panels = subplots(len(logs), rows=2, width=4.1 * len(logs), height=5.4, sharey="row", sharex=True)
        for i, (quantity, log) in enumerate((q, g) for q in (R_HAT, AGREEMENT) for g in logs):
            axes = panels[i]
            rows = table[(table["log"] == log) & (table["quantity"] == quantity)]
            axes.axhline(
                float(rows.loc[rows["mechanism"] == names.NON_PRIVATE, "value"].iloc[0]),
                color=NON_PRIVATE.colour,
                label=NON_PRIVATE.label,
            )
            for look, group in private(rows):
                axes.plot(group["epsilon"], group["value"], **drawn(look))
            axes.set_xscale("log")
            if quantity == R_HAT:
                axes.set_yscale("log")
                axes.axhline(CONVERGED, color="0.4", linewidth=0.8, linestyle=":")
                axes.set_title(title(table, log))
            else:
                axes.set_xlabel(r"privacy level $\varepsilon$")
        panels[0].set_ylabel(r"split $\hat R$ of the log joint density")
        panels[len(logs)].set_ylabel("adjusted Rand index\nof the chains' last states")
        chains = f"{params['chains']} chains of {params['iterations']} iterations"
        figure.suptitle(f"{chains} ({origin(table, *logs)}); dotted: {CONVERGED:g}", fontsize=9)
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure
