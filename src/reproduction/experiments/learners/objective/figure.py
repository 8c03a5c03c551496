"""The true ε over the claimed one: a row of panels a loss, a panel a strength of regularisation."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from string import ascii_lowercase
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from dpsampling.release.style import BLACK, BLUE, GREY, ORANGE, VERMILION, CurveStyle, house_style, subplots
from reproduction.experiments.learners import objective as said
from reproduction.experiments.panels import edges, legend, ticks

TWICE, ONCE = (rf"$\varepsilon' = \varepsilon - {times}\ln(1 + c/n\Lambda)$" for times in ("2", ""))
STYLES = {
    said.FIRST: CurveStyle(r"objective, 2008: $\varepsilon' = \varepsilon$", VERMILION, "--", "^"),
    said.PRINTED: CurveStyle(f"objective, 2011: {TWICE}", ORANGE, "-.", "D"),
    said.TIGHT: CurveStyle(f"objective, tight: {ONCE}", BLUE, "-", "o"),
    said.OUTPUT: CurveStyle("output, $n = 1$", BLACK, ":", "s"),
}

TICKS = (0.5, 1, 2, 5, 10, 20, 50)


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Shares of what is claimed; above 1 the claim is false."""
    strengths = params["n_lambdas"]
    losses = list(dict.fromkeys(table["loss"]))
    height = 2.2 * len(losses) + 0.9
    shown = table[(table["variant"] == said.OUTPUT) | (table["beside"] == said.OTHERS)]
    shown = shown.assign(share=shown["epsilon_true"] / shown["epsilon_claimed"])
    low, high = shown["share"].min() / 1.4, shown["share"].max() * 1.4
    with house_style():
        figure, panels = subplots(len(strengths), rows=len(losses), height=height, sharex=True, sharey=True)
        settings = product(losses, strengths)
        for axes, letter, (loss, strength) in zip(panels, ascii_lowercase, settings, strict=False):
            axes.axhline(1.0, color=GREY, linewidth=3.0, alpha=0.5, zorder=1)
            rows = shown[(shown["loss"] == loss) & (shown["n_lambda"] == strength)]
            for variant, style in STYLES.items():
                mine = rows[rows["variant"] == variant].sort_values("epsilon_claimed", kind="stable")
                axes.loglog(mine["epsilon_claimed"], mine["share"], **style.drawn())
            axes.set_title(rf"({letter}) {loss}, $n\Lambda$ = {strength:g}")
            axes.set_ylim(low, high)
            ticks(axes, y=TICKS)
        edges(panels, len(strengths), r"claimed $\varepsilon$", r"true $\varepsilon$ / claimed $\varepsilon$")
        legend(figure, panels[0], 2, "replace one record, $d = 1$, $|x| \\leq 1$; above 1 the claim is false")
        return figure
