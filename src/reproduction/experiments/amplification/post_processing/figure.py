"""Theorem 15's ε′ and δ′ against γ, and the exact δ at ε′."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dpsampling.amplification.names import DOBRUSHIN, DOEBLIN, LEVEL_DOBRUSHIN, ULTRA_MIXING
from dpsampling.release.style import BLUE, GREEN, PURPLE, SKY, VERMILION, CurveStyle, house_style, subplots
from reproduction.experiments.amplification.post_processing import LOWER, UNIFORM

STYLES = {
    DOBRUSHIN: CurveStyle(r"$\gamma$-Dobrushin", BLUE, "-", "o"),
    LEVEL_DOBRUSHIN: CurveStyle(r"$(\gamma,\tilde\varepsilon)$-Dobrushin", GREEN, "--", "^"),
    DOEBLIN: CurveStyle(r"$\gamma$-Doeblin", PURPLE, ":", "v"),
    LOWER: CurveStyle(r"$\gamma$-Dobrushin at the lower $\varepsilon'$", SKY, "-.", "s"),
    ULTRA_MIXING: CurveStyle(r"$\gamma$-ultra-mixing", VERMILION, "-", "D"),
}
EXACT = (0, (1, 1.5))
ZERO = 1e-12  # the exact δ is rounded up by less


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """One panel for ε′, one a mechanism for δ′: the bound solid, the exact δ dotted in the same colour."""
    del params  # all of it is in the table
    table = table[table["kernel"] == UNIFORM]
    mechanisms = list(dict.fromkeys(table["mechanism"]))
    with house_style():
        columns = min(2, 1 + len(mechanisms))
        deep = -(-(1 + len(mechanisms)) // columns)
        figure, panels = subplots(columns, rows=deep, height=1.0 + 2.2 * deep)
        for spare in panels[1 + len(mechanisms) :]:
            spare.remove()
        panels = panels[: 1 + len(mechanisms)]
        # Both Dobrushin forms leave ε as it is, the others share ε′(γ).
        last = table[table["mechanism"] == mechanisms[-1]]
        for number, condition in enumerate((DOBRUSHIN, LEVEL_DOBRUSHIN, DOEBLIN, ULTRA_MIXING)):
            rows = last[last["condition"] == condition].sort_values("gamma", kind="stable")
            every = (5 * number, 20) if len(rows) > 20 else 1
            panels[0].plot(rows["gamma"], rows["epsilon_bound"], **STYLES[condition].drawn(), markevery=every)
        panels[0].set_ylim(bottom=0.0)
        panels[0].set(ylabel=r"$\varepsilon'$", title=r"$\varepsilon'$ of all mechanisms")
        for axes in panels[1 + len(mechanisms) :]:
            axes.axis("off")
        for axes, mechanism in zip(panels[1:], mechanisms, strict=False):
            mine = table[table["mechanism"] == mechanism]
            for number, (condition, style) in enumerate(STYLES.items()):
                rows = mine[mine["condition"] == condition].sort_values("gamma", kind="stable")
                exact = rows["delta_exact"].where(rows["delta_exact"] > ZERO, 0.0)
                every = (4 * number, 20) if len(rows) > 20 else 1  # where curves coincide, their markers alternate
                axes.plot(rows["gamma"], rows["delta_bound"], **style.drawn(), markevery=every)
                hollow: dict[str, Any] = {
                    "linestyle": EXACT,
                    "linewidth": 2.0,
                    "marker": style.marker,
                    "markerfacecolor": "white",
                }
                axes.plot(rows["gamma"], exact, color=style.colour, **hollow, markevery=every)
            axes.set_title(mechanism.replace(" response on ", " response, "))
            axes.set_ylim(-0.004, 1.08 * max(0.01, float(mine["delta_bound"].max())))
        panels[1].set_ylabel(r"$\delta'$")
        for axes in panels:
            axes.set_xlabel(r"coefficient $\gamma$")
        handles = [Line2D([], [], **style.drawn()) for style in STYLES.values()]
        handles.append(
            Line2D(
                [],
                [],
                color="0.35",
                linestyle=EXACT,
                linewidth=2.0,
                marker="o",
                markerfacecolor="white",
                label=r"exact $\delta$ of $K\circ M$ at $\varepsilon'$",
            )
        )
        figure.legend(handles=handles, loc="outside lower center", ncols=3)
        return figure
