"""ε by every accountant at three settings, and test errors against ε."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release import style
from dpsampling.release.style import BLACK, BLUE, GREEN, GREY, VERMILION, CurveStyle, Dash, scientific
from reproduction.experiments.learners import gradient as said
from reproduction.experiments.learners.spread import spread
from reproduction.experiments.panels import curve, ticks

ACCOUNTS = (
    (said.EACH, said.ADDED, "noise on each gradient"),
    (said.LIMIT, said.ADDED, "Gaussian limit, no promise"),
    (said.LOSSES, said.ADDED, "privacy losses"),
    (said.RENYI, said.ADDED, "Rényi divergence"),
    (said.MOMENTS, said.ADDED, "moments, 32 orders"),
    (said.LOSSES, said.REPLACED, "privacy losses, replaced"),
    (said.PUBLIC, said.ADDED, "batches not amplified"),
    (said.PUBLIC, said.REPLACED, "not amplified, replaced"),
)
SETTINGS = ((BLUE, "o"), (VERMILION, "^"), (GREEN, "D"))
DASHES: tuple[Dash, ...] = ("-", "--", ":", "-.")
DECADES = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0)


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Accounts on the left, errors on the right. Bars are two standard errors."""
    with style.house_style():
        figure, (left, right) = style.subplots(2, height=4.2)
        _accounts(left, table[table["view"] == said.ACCOUNTED], params)
        _errors(right, table[table["view"] == said.TRAINED], params)
        figure.legend(loc="outside lower center", ncols=3)
        return figure


def _accounts(axes: Axes, rows: pd.DataFrame, params: Mapping[str, Any]) -> None:
    rows = rows[rows["dataset"] != said.ONE_STEP]
    for (name, mine), (colour, marker) in zip(rows.groupby("dataset", sort=False), SETTINGS, strict=False):
        spent, at = mine.set_index(["accountant", "relation"])["epsilon"], mine.iloc[0]
        levels = [spent[accountant, relation] for accountant, relation, _ in ACCOUNTS]
        label = f"{name}: σ = {at['sigma']:g}, B = {at['batch']}, T = {at['steps']}"
        look: dict[str, Any] = {"color": colour, "marker": marker, "linestyle": "none", "markersize": 5}
        axes.plot(levels, range(len(ACCOUNTS)), label=label, **look)
    axes.set_yticks(range(len(ACCOUNTS)), [label for _, _, label in ACCOUNTS])
    _decades(axes)
    axes.set(
        xlabel=f"$\\varepsilon$ at $\\delta$ = {scientific(params['delta'])},\none record more or less, or replaced",
        title="(a) what it spends",
    )


def _errors(axes: Axes, rows: pd.DataFrame, params: Mapping[str, Any]) -> None:
    batches = dict(zip(sorted(set(rows["batch"])), DASHES, strict=False))
    for method, colour, marker in ((said.SUM, BLUE, "o"), (said.EACH_GRADIENT, VERMILION, "^")):
        for batch, dash in batches.items():
            mine = rows[(rows["method"] == method) & (rows["batch"] == batch)]
            look = CurveStyle(f"{method}, B = {batch}", colour, dash, marker)
            if len(mine):
                curve(axes, mine, "epsilon", "error", look, capsize=2.0, elinewidth=0.7)
    for batch, dash in batches.items():
        level = float(rows.loc[(rows["method"] == said.PLAIN) & (rows["batch"] == batch), "error"].iloc[0])
        axes.axhline(level, color=BLACK, linewidth=0.8, linestyle=dash, label=f"no noise, B = {batch}")
    axes.axhline(0.5, color=GREY, linewidth=0.8, linestyle="-.", label="a coin")
    _decades(axes)
    delta = scientific(params["delta"])
    axes.set(
        xlabel=f"$\\varepsilon$ that the sum's noise is for, $\\delta$ = {delta},\none record more or less",
        ylabel=f"test error,\n{spread(rows[rows['method'] != said.PLAIN])}",
        title=f"(b) {rows['dataset'].iloc[0]}, n = {int(rows['records'].iloc[0])}, {params['epochs']} epochs",
    )


def _decades(axes: Axes) -> None:
    """Make the axis of ε logarithmic, with ticks at the decades within it."""
    axes.set_xscale("log")
    low, high = axes.get_xlim()
    ticks(axes, [tick for tick in DECADES if low < tick < high])
