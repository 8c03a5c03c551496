"""ε of k answers, as the session promises it and as the answers have it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from dpsampling.release.style import BLACK, BLUE, GREEN, SINGLE, VERMILION, CurveStyle, house_style, subplots
from reproduction.experiments.foundations import session as said
from reproduction.experiments.foundations.rows import where

STYLES = {
    said.IDENTITY: CurveStyle(r"exact: $q(\theta)=\theta$", BLUE, "-", "o"),
    said.ADAPTIVE: CurveStyle(r"exact: whether $\theta\leq$ number of earlier answers yes", GREEN, "-.", "D"),
    said.MIDDLE: CurveStyle(r"exact: whether $\theta$ is above the middle", VERMILION, ":", "^"),
}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """One panel."""
    with house_style():
        figure, (axes,) = subplots(width=SINGLE, height=3.6)
        promised = where(table, query=said.IDENTITY)
        axes.plot(promised["queries"], promised["epsilon_promised"], "--", color=BLACK, label="promised, $2Lk$")
        for query, style in STYLES.items():
            mine = where(table, query=query)
            axes.plot(mine["queries"], mine["epsilon_exact"], **style.drawn())
        axes.set_xticks(sorted(set(table["queries"])))
        axes.set(
            xlabel="answers $k$, each of a fresh draw",
            ylabel=r"$\varepsilon$ of all answers together",
            title=rf"{params['outcomes']} parameters, $2L={params['epsilon']:g}$ for one answer",
            ylim=(0.0, None),
        )
        figure.legend(loc="outside lower center", ncols=1)
        return figure
