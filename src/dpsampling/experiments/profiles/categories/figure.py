"""Figures 7.3 and 7.4: cost per category against ε."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from dpsampling.experiments.profiles.categories import RESPONSE, SMOOTH
from dpsampling.style import SEQUENCE, house_style, subplots

NAMES = {RESPONSE: "K-ary randomized response", SMOOTH: "smooth categorical mechanism"}
MARKERS = "osD^vP*X"


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """A curve a category; where curves coincide, their markers alternate."""
    categories = sorted(table["category"].unique())
    colours = mpl.colormaps[SEQUENCE](np.linspace(0.0, 0.85, len(categories)))
    with house_style():
        figure, (axes,) = subplots(width=5.6, height=3.6)
        for number, (category, colour) in enumerate(zip(categories, colours, strict=True)):
            mine = table[table["category"] == category].sort_values("epsilon")
            axes.plot(
                mine["epsilon"],
                mine["cost"],
                color=colour,
                linewidth=2.2 - 1.4 * number / max(1, len(categories) - 1),
                marker=MARKERS[number % len(MARKERS)],
                markevery=(number * 2 % max(1, len(mine)), max(1, 2 * len(categories))),
                label=f"category {category}",
            )
        axes.set_ylim(bottom=0.0)
        axes.set_xlim(left=0.0)
        axes.set_xlabel(r"privacy level $\varepsilon$")
        axes.set_ylabel(r"$\max_i\,|P_i(y)-\Pr(\mathrm{output}=y\mid P_i)|$")
        axes.set_title(f"{NAMES[params['mechanism']]}, chain of {len(params['categorical'])} profiles")
        axes.legend()
        return figure
