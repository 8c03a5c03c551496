"""Consistency left, efficiency right, against the number of records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dpsampling.release.style import BLACK, BLUE, GREEN, VERMILION, CurveStyle, house_style, subplots, two_errors
from reproduction.experiments.posteriors.closed_form import temperature
from reproduction.experiments.posteriors.efficiency import CATEGORICAL

STYLES = {
    "laplace": CurveStyle("Laplace mechanism, one draw", BLUE, "-", "o"),
    "laplace-mean": CurveStyle("Laplace mechanism, posterior mean", GREEN, "-.", "D"),
    "ops": CurveStyle("OPS, one draw", VERMILION, "--", "^"),
    "posterior": CurveStyle("true posterior (not private), one draw", BLACK, ":", "s"),
}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Filled markers for Beta-Bernoulli, open ones for Dirichlet-Categorical; dotted lines at the limits. Bars are
    two standard errors.
    """
    outcomes = len(params["probabilities"])
    limits = {"laplace": [2.0], "laplace-mean": [1.0]}
    limits["ops"] = [1.0 + temperature(params["truncation"], params["epsilon"], k) for k in (2, outcomes)]
    with house_style():
        figure, (left, right) = subplots(2, height=3.6)
        for axes, quantity in ((left, "kl"), (right, "efficiency")):
            for name, rows in table[table["quantity"] == quantity].groupby("mechanism"):
                open_marker = str(name).endswith(CATEGORICAL)
                style = STYLES[str(name).removesuffix(CATEGORICAL)]
                two_errors(
                    axes, rows["n"], rows["value"], rows["sem"], style,
                    markerfacecolor="white" if open_marker else style.colour, linewidth=0.9 if open_marker else 1.4,
                )  # fmt: skip
            axes.set(xscale="log", xlabel="number of records $N$")
        for name, values in limits.items():
            for value in values:
                right.axhline(value, color=STYLES[name].colour, linewidth=0.8, linestyle=(0, (1, 2)))
        left.set(yscale="log", title="(a) distance from the true posterior")
        left.set_ylabel(r"$E\,$KL$(\tilde p_N\,\|\,p_N)$ in nats")
        right.set_ylim(bottom=0.0)
        right.set(title="(b) efficiency; dotted: limits", ylabel="squared error over the Cramér-Rao bound")
        grey: dict[str, Any] = {"color": "0.35", "linestyle": "none", "marker": "o"}
        handles = [
            *(Line2D([], [], **style.drawn()) for style in STYLES.values()),
            Line2D([], [], **grey, label="Beta-Bernoulli"),
            Line2D([], [], **grey, markerfacecolor="white", label="Dirichlet-Categorical"),
            Line2D([], [], color="0.35", linewidth=0.8, linestyle=(0, (1, 2)), label="limits 2, 1 and $1+T$"),
        ]
        figure.suptitle(
            rf"$\varepsilon={params['epsilon']:g}$, $a_0={params['truncation']:g}$; "
            f"means of {params['repeats']} runs, bars: 2 s.e."
        )
        figure.legend(handles=handles, loc="outside lower center", ncols=3)
        return figure
