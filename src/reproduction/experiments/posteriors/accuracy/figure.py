"""Figure 4.2: the L1 error of one draw against the number of records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release.style import BLACK, BLUE, SKY, VERMILION, CurveStyle, house_style, subplots, two_errors

STYLES = {
    "posterior": CurveStyle("true posterior (not private)", BLACK, "-", "s"),
    "laplace": CurveStyle("Laplace mechanism, counts at least 0", BLUE, "-", "o"),
    "laplace-range": CurveStyle(r"Laplace mechanism, counts in $[0, N]$", SKY, ":", "v"),
    "ops": CurveStyle("OPS (exponential mechanism)", VERMILION, "--", "^"),
}
SMALL = 50  # records, up to which the curves cross
TOLD = 10  # where they do by the text, approximately


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Simulated means left, with two standard errors as bars, both axes logarithmic; exact expectations of few records
    right, where the curves cross.
    """
    with house_style():
        figure, (means, expectations) = subplots(2, height=3.5)
        for mechanism, style in STYLES.items():
            rows = table[table["mechanism"] == mechanism].sort_values("n", kind="stable")
            two_errors(means, rows["n"], rows["mean"], rows["sem"], style)
        means.set_xscale("log")
        means.set_yscale("log")
        means.set_ylabel(r"mean of $|\tilde p - p|$")
        means.set_title(f"(a) means of {params['repeats']} runs, bars: 2 s.e.")
        _few(expectations, table[table["n"] <= SMALL])
        for axes in (means, expectations):
            axes.set_xlabel("number of records $N$")
        figure.suptitle(
            rf"$p={params['p']:g}$, $\varepsilon={params['epsilon']:g}$, truncation $a_0={params['truncation']:g}$"
        )
        handles, labels = means.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2)
        return figure


def _few(axes: Axes, table: pd.DataFrame) -> None:
    """The private curves where they are close to one another; the posterior's is far below."""
    for mechanism, style in STYLES.items():
        rows = table[table["mechanism"] == mechanism].sort_values("n", kind="stable")
        axes.plot(rows["n"], rows["exact"], **style.drawn() | {"markersize": 3})
    axes.axvline(TOLD, color="0.35", linewidth=0.8, linestyle=(0, (1, 2)))
    private = table[table["mechanism"] != "posterior"]["exact"]
    if len(private):
        room = 0.1 * (float(private.max()) - float(private.min())) + 1e-3
        axes.set_ylim(float(private.min()) - room, float(private.max()) + room)
    axes.set_xlim(0.9, 1.1 * SMALL)  # first: where there are no such records, nothing else sets limits
    axes.set_xscale("log")
    axes.set_xticks([1, 2, 5, 10, 20, 50], ["1", "2", "5", "10", "20", "50"])
    axes.minorticks_off()
    axes.set_ylabel(r"$E\,|\tilde p - p|$")
    axes.set_title(f"(b) exact, $N\\leq{SMALL}$; dotted: $N={TOLD}$ of the text")
