"""ε of every way to make the model private, on a logarithmic axis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from dpsampling.release.style import dots, house_style, subplots
from reproduction.experiments.warlogs.styles import MECHANISMS


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """The first log's rows; other logs differ in Δ alone."""
    log = str(table["log"].iloc[0])
    rows = table[table["log"] == log].reset_index(drop=True)
    with house_style():
        figure, (axes,) = subplots(height=2.3)
        styles = [MECHANISMS[mechanism] for mechanism in rows["mechanism"]]
        labels = [f"{style.label}: {setting}" for style, setting in zip(styles, rows["setting"], strict=True)]
        dots(axes, labels, rows["epsilon"].tolist(), styles, [_number(value) for value in rows["epsilon"]])
        axes.set_xscale("log")
        axes.set_xlim(float(rows["epsilon"].min()) / 3.0, float(rows["epsilon"].max()) * 6.0)
        axes.set_xlabel(r"$\varepsilon$ of the whole release")
        axes.set_title(
            rf"a private HMM at $\varepsilon={params['epsilon']:g}$, "
            rf"{params['iterations']} iterations, $M={params['multiplier']:g}$ ({log.capitalize()})"
        )
    return figure


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
