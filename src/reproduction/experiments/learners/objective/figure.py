"""The true ε over the claimed one: a row of panels a loss, a panel a strength of regularisation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from dpsampling.release.style import BLACK, BLUE, GREY, ORANGE, VERMILION, house_style, subplots
from reproduction.experiments.learners import objective as said

STYLES = {
    said.FIRST: (VERMILION, "--", "^", r"objective, 2008: $\varepsilon' = \varepsilon$"),
    said.PRINTED: (ORANGE, "-.", "D", r"objective, 2011: $\varepsilon' = \varepsilon - 2\ln(1 + c/n\Lambda)$"),
    said.TIGHT: (BLUE, "-", "o", r"objective, tight: $\varepsilon' = \varepsilon - \ln(1 + c/n\Lambda)$"),
    said.OUTPUT: (BLACK, ":", "s", "output, $n = 1$"),
}

TICKS = (0.5, 1, 2, 5, 10, 20, 50)


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Shares of what is claimed; above 1 the claim is false."""
    strengths = params["n_lambdas"]
    losses = list(dict.fromkeys(table["loss"]))
    shown = table[(table["variant"] == said.OUTPUT) | (table["beside"] == said.OTHERS)]
    shares = shown["epsilon_true"] / shown["epsilon_claimed"]
    with house_style():
        figure, axes = subplots(
            len(strengths),
            rows=len(losses),
            height=2.2 * len(losses) + 0.9,
            sharex=True,
            sharey=True,
        )
        panels = [(loss, strength) for loss in losses for strength in strengths]
        for axis, letter, (loss, strength) in zip(axes, "abcdefghijklmnopqrstuvwxyz", panels, strict=False):
            axis.axhline(1.0, color=GREY, linewidth=3.0, alpha=0.5, zorder=1)
            for variant, (colour, dash, marker, label) in STYLES.items():
                mine = shown[
                    (shown["variant"] == variant) & (shown["loss"] == loss) & (shown["n_lambda"] == strength)
                ].sort_values("epsilon_claimed", kind="stable")
                share = mine["epsilon_true"] / mine["epsilon_claimed"]
                axis.loglog(mine["epsilon_claimed"], share, color=colour, linestyle=dash, marker=marker, label=label)
            axis.set_title(rf"({letter}) {loss}, $n\Lambda$ = {strength:g}")
            axis.set_ylim(shares.min() / 1.4, shares.max() * 1.4)
            axis.set_yticks(TICKS, [f"{tick:g}" for tick in TICKS])
            axis.minorticks_off()
        for axis in axes[-len(strengths) :]:
            axis.set_xlabel(r"claimed $\varepsilon$")
        for axis in axes[:: len(strengths)]:
            axis.set_ylabel(r"true $\varepsilon$ / claimed $\varepsilon$")
        handles, labels = axes[0].get_legend_handles_labels()
        title = "replace one record, $d = 1$, $|x| \\leq 1$; above 1 the claim is false"
        figure.legend(handles, labels, loc="outside lower center", ncols=2, title=title)
        return figure
