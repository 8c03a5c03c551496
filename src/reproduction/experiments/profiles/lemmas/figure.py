"""What a flip buys, and flips along a chain with one costly edge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release.style import BLUE, VERMILION, house_style, subplots
from reproduction.experiments.bound_claims import rows_of
from reproduction.experiments.profiles import lemmas as said

OUTPUTS = {"output 1": (BLUE, "-"), "output 0": (VERMILION, "--")}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Left log-ratios, right flips."""
    with house_style():
        figure, (ratios, flips) = subplots(2, height=2.8)
        _ratios(ratios, table)
        _flips(flips, table, params)
        return figure


def _ratios(axes: Axes, table: pd.DataFrame) -> None:
    rows = rows_of(table, said.RATIO)
    for case, (colour, dash) in OUTPUTS.items():
        mine = rows[rows["case"] == case]
        axes.plot(mine["x"], mine["left"], color=colour, linestyle=dash, label=case)
    axes.legend()
    axes.set(
        xlabel=r"flip probability $\alpha$",
        ylabel="log-ratio of the two profiles",
        title="(a) $p_1=.9$, $p_2=.2$: (7.27) and (7.28)",
    )


def _flips(axes: Axes, table: pd.DataFrame, params: Mapping[str, Any]) -> None:
    mine = rows_of(table, said.SMOOTH).reset_index(drop=True)
    axes.plot(mine.index + 1, mine["right"], color=VERMILION, linestyle="--", marker="^", label="cluster (Algorithm 7)")
    axes.plot(mine.index + 1, mine["left"], color=BLUE, marker="o", label="smooth (Algorithm 8)")
    labels = [f"{p:g}".removeprefix("0") or "0" for p in params["bernoulli"]]
    axes.set_xticks(mine.index + 1, labels)
    axes.legend(loc="center left")
    axes.set(
        xlabel="profile of the chain, by its $p$",
        ylabel="flip probability",
        title=rf"(b) one costly edge, $\varepsilon={params['epsilon']:g}$",
        ylim=(0.0, 0.5),
    )
