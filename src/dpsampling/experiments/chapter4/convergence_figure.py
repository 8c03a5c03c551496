"""R̂ and the agreement of the chains' states against ε."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from dpsampling.experiments.chapter4.convergence import AGREEMENT, R_HAT
from dpsampling.experiments.chapter4.warlog_looks import NON_PRIVATE, private
from dpsampling.experiments.chapter4.warlog_text import origin, title
from dpsampling.experiments.contract import parameters_of
from dpsampling.style import house_style, subplots


def draw(table: pd.DataFrame, experiment: str) -> Figure:
    """One column a log."""
    params = parameters_of(table, experiment)
    logs = list(dict.fromkeys(table["log"]))
    with house_style():
        figure, panels = subplots(len(logs), rows=2, width=4.1 * len(logs), height=5.4, sharey="row", sharex=True)
        for i, (quantity, log) in enumerate((q, g) for q in (R_HAT, AGREEMENT) for g in logs):
            axes = panels[i]
            rows = table[(table["log"] == log) & (table["quantity"] == quantity)]
            axes.axhline(
                float(rows.loc[rows["mechanism"] == "non-private", "value"].iloc[0]),
                color=NON_PRIVATE.colour,
                label=NON_PRIVATE.label,
            )
            for look, group in private(rows):
                axes.plot(
                    group["epsilon"],
                    group["value"],
                    color=look.colour,
                    linestyle=look.dash,
                    marker=look.marker,
                    label=look.label,
                )
            axes.set_xscale("log")
            if quantity == R_HAT:
                axes.set_yscale("log")
                axes.axhline(1.1, color="0.4", linewidth=0.8, linestyle=":")
                axes.set_title(title(table, log))
            else:
                axes.set_xlabel(r"privacy level $\varepsilon$")
        panels[0].set_ylabel(r"split $\hat R$ of the log joint density")
        panels[len(logs)].set_ylabel("adjusted Rand index\nof the chains' last states")
        figure.suptitle(
            f"{params['chains']} chains of {params['iterations']} iterations ({origin(table, *logs)}); dotted: 1.1",
            fontsize=9,
        )
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure
