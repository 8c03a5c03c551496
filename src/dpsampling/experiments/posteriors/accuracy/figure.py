"""Figure 4.2: the L1 error of one draw against the number of records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from dpsampling.style import BLACK, BLUE, SKY, VERMILION, Line, house_style, subplots

LOOKS = {
    "posterior": Line("true posterior (not private)", BLACK, "-", "s"),
    "laplace": Line("Laplace mechanism, counts at least 0", BLUE, "-", "o"),
    "laplace-range": Line(r"Laplace mechanism, counts in $[0, N]$", SKY, ":", "v"),
    "ops": Line("OPS (exponential mechanism)", VERMILION, "--", "^"),
}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Means with two standard errors, both axes logarithmic."""
    with house_style():
        figure, (axes,) = subplots(height=4.1)
        for mechanism, look in LOOKS.items():
            rows = table[table["mechanism"] == mechanism].sort_values("n")
            axes.errorbar(
                rows["n"],
                rows["mean"],
                yerr=2.0 * rows["sem"],
                color=look.colour,
                linestyle=look.dash,
                marker=look.marker,
                label=look.label,
                capsize=2,
                elinewidth=0.8,
            )
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("number of records $N$")
        axes.set_ylabel(r"mean of $|\tilde p - p|$, two standard errors")
        axes.set_title(
            rf"$p={params['p']:g}$, $\varepsilon={params['epsilon']:g}$, $a_0={params['truncation']:g}$, "
            f"{params['repeats']} repeats"
        )
        figure.legend(loc="outside lower center", ncols=2)
        return figure
