"""Figures 7.3 and 7.4: cost per category against ε, both with the local baseline and on the same axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from dpsampling.release.style import SEQUENCE, SINGLE, Dash, house_style, subplots, tag
from reproduction.experiments.profiles.categories import RESPONSE, SMOOTH
from reproduction.experiments.profiles.reconstruction import PROFILES, TAG

NAMES = {RESPONSE: "K-ary randomized response", SMOOTH: "smooth categorical mechanism"}
MARKERS = "osD^vP*X"
DASHES: tuple[Dash, ...] = ("-", "--", "-.", ":")


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """A curve a category; where curves coincide, their markers alternate."""
    categories = sorted(table["category"].unique())
    colours = mpl.colormaps[SEQUENCE](np.linspace(0.0, 0.8, len(categories)))
    with house_style():
        figure, (axes,) = subplots(width=SINGLE, height=3.3)
        for number, (category, colour) in enumerate(zip(categories, colours, strict=True)):
            mine = table[table["category"] == category].sort_values("epsilon", kind="stable")
            axes.plot(
                mine["epsilon"],
                mine["cost"],
                color=colour,
                linestyle=DASHES[number % len(DASHES)],
                marker=MARKERS[number % len(MARKERS)],
                markevery=(number * 2 % max(1, len(mine)), max(1, 2 * len(categories))),
                label=f"category {category}",
            )
        if "baseline" in table:
            for category in categories:
                mine = table[table["category"] == category].sort_values("epsilon", kind="stable")
                label = NAMES[RESPONSE] if category == categories[0] else None
                axes.plot(mine["epsilon"], mine["baseline"], color="0.6", linewidth=2.4, zorder=1, label=label)
        axes.set_ylim(0.0, _top(table, params))
        axes.set_xlim(left=0.0)
        axes.set_xlabel(r"privacy level $\varepsilon$ in nats")
        axes.set_ylabel(r"cost $\max_i\,|P_i(y)-\Pr(\mathrm{output}=y\mid P_i)|$")
        figure.suptitle(f"{NAMES[params['mechanism']]}, chain of {len(params['categorical'])} profiles")
        if params["categorical"] == PROFILES:
            tag(axes, TAG)
        figure.legend(loc="outside lower center", ncols=2)
        return figure


def _top(table: pd.DataFrame, params: Mapping[str, Any]) -> float:
    """The same for both mechanisms: a quarter above the cost of an output that says nothing, max |P_i(y) − 1/d|."""
    rows = np.array(params["categorical"], dtype=float)
    distance = np.abs(rows / rows.sum(axis=1, keepdims=True) - 1.0 / rows.shape[1])
    return max(1.25 * float(distance.max()), 1.05 * float(table["cost"].max()))
