"""Figure 7.2: flip probability against the difference of the profiles, with local privacy's horizontal line."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dpsampling.release.style import BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION, house_style, subplots, tag
from reproduction.experiments.profiles.couplet import COMMON, EXAMPLE, LOCAL, OWN
from reproduction.experiments.profiles.couplet.curves import SYMMETRIC, ZERO, family

TITLES = {ZERO: "$p_i=0$", SYMMETRIC: "$p_i,\\ p_j$ symmetric about ½"}
COLOURS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY)  # of levels; a seventh begins again
MARKERS = "o^Dv"
DASHES = {COMMON: "-", OWN: "--"}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """A panel a family, a colour an ε."""
    del params  # the levels stand in the table
    table = table[table["mechanism"] != EXAMPLE]
    looks = dict(
        zip(sorted(table["epsilon"].unique()), zip(cycle(COLOURS), cycle(MARKERS), strict=False), strict=False)
    )
    with house_style():
        figure, panels = subplots(2, height=3.4, sharey=True)
        for axes, (name, title) in zip(panels, TITLES.items(), strict=True):
            rows = family(table, name)
            for epsilon, (colour, marker) in looks.items():
                for mechanism, dash in DASHES.items():
                    mine = rows[(rows["epsilon"] == epsilon) & (rows["mechanism"] == mechanism)]
                    every = max(1, len(mine) // 10)
                    axes.plot(mine["gap"], mine["flip"], dash, color=colour, marker=marker, markevery=every)
                warner = table[(table["epsilon"] == epsilon) & (table["mechanism"] == LOCAL)]
                axes.axhline(float(warner["flip"].iloc[0]), color=colour, linestyle=":", linewidth=1.1)
            axes.set(title=title, xlabel="$p_j-p_i$", xlim=(0.0, 1.0), ylim=(0.0, 0.5))
        tag(panels[1], "reconstructed levels and pairs")
        panels[0].set_ylabel("flip probability")
        handles = [
            Line2D([], [], color=colour, marker=marker, label=rf"$\varepsilon={epsilon:g}$")
            for epsilon, (colour, marker) in looks.items()
        ]
        handles += [
            Line2D([], [], color="0.35", linestyle="-", label="one common flip (Algorithm 6)"),
            Line2D([], [], color="0.35", linestyle="--", label="larger of two flips (Algorithm 8)"),
            Line2D([], [], color="0.35", linestyle=":", label="local privacy (Warner)"),
        ]
        figure.legend(handles=handles, loc="outside lower center", ncols=3)
        return figure
