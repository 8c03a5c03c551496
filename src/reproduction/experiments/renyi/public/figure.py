"""Expected loss against public records, and when sampling directly is allowed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release.style import BLACK, BLUE, GREY, VERMILION, Dash, house_style, subplots
from reproduction.experiments.renyi import public as said

STYLES: dict[str, tuple[str, Dash, str, str]] = {
    said.DIFFUSED: (BLUE, "-", "o", "Algorithm 2, diffused"),
    said.CONCENTRATED: (VERMILION, "--", "^", "Algorithm 3, concentrated"),
    said.ALONE: (GREY, ":", "s", said.ALONE),
}
LEVELS: tuple[tuple[str, Dash, str], ...] = ((BLACK, "-", "o"), (BLUE, "--", "^"), (VERMILION, "-.", "D"))
PANELS = 2  # populations that are shown


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """A panel a population at the smallest ε, and one of probabilities."""
    epsilon = float(min(params["epsilons"]))
    populations = sorted(table["population"].unique())[:PANELS]
    with house_style():
        figure, panels = subplots(len(populations) + 1, height=3.1)
        for letter, axes, rho in zip("ab", panels, populations, strict=False):
            _losses(axes, table[(table["population"] == rho) & (table["epsilon"] == epsilon)])
            axes.set_title(rf"({letter}) population $\rho={rho:g}$, $\varepsilon={epsilon:g}$")
        _ready(panels[-1], table[table["population"] == populations[0]])
        panels[-1].set_title(rf"({'abc'[len(populations)]}) direct sampling, $\rho={populations[0]:g}$")
        panels[0].set_ylabel("expected loss above entropy, nats")
        return figure


def _axis(axes: Axes) -> None:
    axes.set_xscale("symlog", linthresh=1.0, base=2)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_xlim(-0.15, 1.15 * axes.get_xlim()[1])  # markers are whole at both ends
    axes.set_xlabel("public records $k$")


def _losses(axes: Axes, rows: pd.DataFrame) -> None:
    for name, (colour, dash, marker, label) in STYLES.items():
        mine = rows[rows["mechanism"] == name]
        axes.plot(mine["records"], mine["excess"], color=colour, linestyle=dash, marker=marker, label=label)
    axes.set_yscale("log")
    _axis(axes)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2))


def _ready(axes: Axes, rows: pd.DataFrame) -> None:
    mine = rows[rows["mechanism"] == said.DIFFUSED]
    for (epsilon, curve), (colour, dash, marker) in zip(mine.groupby("epsilon"), LEVELS, strict=False):
        label = rf"$\varepsilon={epsilon:g}$"
        axes.plot(curve["records"], curve["ready"], color=colour, linestyle=dash, marker=marker, label=label)
    _axis(axes)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2))
    axes.set(ylabel="probability that it is allowed", ylim=(-0.02, 1.04))
