"""Figure 4.1: the posterior, OPS, and the Laplace mechanism's draws."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dpsampling.release.style import BLACK, SKY, VERMILION, Dash, house_style, subplots

STYLES: dict[str, tuple[str, str, Dash, float]] = {
    "posterior": ("true posterior (not private)", BLACK, "-", 1.8),
    "ops": ("OPS (truncated, tempered)", VERMILION, "--", 1.8),
    "laplace": ("Laplace mechanism, {draws} draws", SKY, "-", 0.6),
}
ENDS: dict[str, Any] = {"color": "0.6", "linewidth": 0.8, "linestyle": (0, (1, 3))}  # of the window


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """One panel, the many lines of the Laplace mechanism behind the others."""
    with house_style():
        figure, (axes,) = subplots(height=3.3)
        for mechanism in ("laplace", "ops", "posterior"):
            _, colour, dash, width = STYLES[mechanism]
            for _, rows in table[table["mechanism"] == mechanism].groupby("draw"):
                axes.plot(rows["p"], rows["density"], dash, color=colour, linewidth=width)
        for end in (params["truncation"], 1.0 - params["truncation"]):
            axes.axvline(end, **ENDS)
        axes.set_xlim(0.0, 1.0)
        # A few draws of the noise may be much more peaked than the rest; the figure is about the rest.
        tallest = table.groupby(["mechanism", "draw"])["density"].max()
        top = 1.1 * max(float(tallest[["posterior", "ops"]].max()), float(tallest["laplace"].quantile(0.9)))
        axes.set_ylim(0.0, top)
        beyond = int((tallest["laplace"] > top).sum())
        axes.set(xlabel="success probability $p$", ylabel="density")
        cut = f"; {beyond} of {params['repeats']} draws of the noise go beyond the top" if beyond else ""
        axes.set_title(
            rf"$N={params['n']}$ with {params['successes']} successes, $\varepsilon={params['epsilon']:g}$, "
            rf"$a_0={params['truncation']:g}${cut}"
        )
        draws = params["repeats"]
        handles = [
            Line2D([], [], color=colour, linestyle=dash, linewidth=max(width, 1.0), label=label.format(draws=draws))
            for label, colour, dash, width in STYLES.values()
        ]
        handles.append(Line2D([], [], **ENDS, label="truncation $a_0$, $1-a_0$"))
        figure.legend(handles=handles, loc="outside lower center", ncols=2)
        return figure
