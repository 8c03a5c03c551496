"""ε of k answers, as the session promises it and as the answers have it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from dpsampling.release.style import BLACK, BLUE, GREEN, SINGLE, VERMILION, CurveStyle, Dash, house_style, subplots
from reproduction.experiments.foundations import session as said

STYLES: dict[str, tuple[str, Dash, str, str]] = {
    said.IDENTITY: (BLUE, "-", "o", r"$q(\theta)=\theta$"),
    said.ADAPTIVE: (GREEN, "-.", "D", r"whether $\theta\leq$ number of earlier answers yes"),
    said.MIDDLE: (VERMILION, ":", "^", r"whether $\theta$ is above the middle"),
}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """One panel."""
    with house_style():
        figure, (axes,) = subplots(width=SINGLE, height=3.6)
        promised = table[table["query"] == said.IDENTITY]
        axes.plot(
            promised["queries"], promised["epsilon_promised"], color=BLACK, linestyle="--", label="promised, $2Lk$"
        )
        for query, (colour, dash, marker, label) in STYLES.items():
            mine = table[table["query"] == query]
            axes.plot(
                mine["queries"], mine["epsilon_exact"], **CurveStyle(f"exact: {label}", colour, dash, marker).drawn()
            )
        axes.set_xticks(sorted(set(table["queries"])))
        axes.set(
            xlabel="answers $k$, each of a fresh draw",
            ylabel=r"$\varepsilon$ of all answers together",
            title=rf"{params['outcomes']} parameters, $2L={params['epsilon']:g}$ for one answer",
            ylim=(0.0, None),
        )
        figure.legend(loc="outside lower center", ncols=1)
        return figure
