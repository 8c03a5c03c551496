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
EXACT: dict[str, Any] = {"linestyle": (0, (1, 1.5)), "linewidth": 2.0, "markerfacecolor": "white"}
ZERO = 1e-12  # the exact δ is rounded up by less


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """One panel for ε′, one a mechanism for δ′: the bound solid, the exact δ dotted in the same colour."""
    del params  # all of it is in the table
    table = table[table["kernel"] == UNIFORM]
    mechanisms = list(dict.fromkeys(table["mechanism"]))
    with house_style():
        count = 1 + len(mechanisms)
        columns = min(2, count)
        deep = -(-count // columns)
        figure, panels = subplots(columns, rows=deep, height=1.0 + 2.2 * deep)
        for spare in panels[count:]:
            spare.remove()
        panels = panels[:count]
        # Both Dobrushin forms leave ε as it is, the others share ε′(γ).
        last = table[table["mechanism"] == mechanisms[-1]]
        for number, condition in enumerate((DOBRUSHIN, LEVEL_DOBRUSHIN, DOEBLIN, ULTRA_MIXING)):
            rows = last[last["condition"] == condition].sort_values("gamma", kind="stable")
            every = (5 * number, 20) if len(rows) > 20 else 1
            panels[0].plot(rows["gamma"], rows["epsilon_bound"], **STYLES[condition].drawn(), markevery=every)
        panels[0].set_ylim(bottom=0.0)
        panels[0].set(ylabel=r"$\varepsilon'$", title=r"$\varepsilon'$ of all mechanisms")
        for axes, mechanism in zip(panels[1:], mechanisms, strict=True):
            mine = table[table["mechanism"] == mechanism]
            for number, (condition, style) in enumerate(STYLES.items()):
                rows = mine[mine["condition"] == condition].sort_values("gamma", kind="stable")
                exact = rows["delta_exact"].where(rows["delta_exact"] > ZERO, 0.0)
                every = (4 * number, 20) if len(rows) > 20 else 1  # where curves coincide, their markers alternate
                axes.plot(rows["gamma"], rows["delta_bound"], **style.drawn(), markevery=every)
                axes.plot(rows["gamma"], exact, color=style.colour, marker=style.marker, **EXACT, markevery=every)
            axes.set_title(mechanism.replace(" response on ", " response, "))
            axes.set_ylim(-0.004, 1.08 * max(0.01, float(mine["delta_bound"].max())))
        panels[1].set_ylabel(r"$\delta'$")
        for axes in panels:
            axes.set_xlabel(r"coefficient $\gamma$")
        handles = [Line2D([], [], **style.drawn()) for style in STYLES.values()]
        of_exact = r"exact $\delta$ of $K\circ M$ at $\varepsilon'$"
        handles.append(Line2D([], [], color="0.35", marker="o", **EXACT, label=of_exact))
        figure.legend(handles=handles, loc="outside lower center", ncols=3)
        return figure
