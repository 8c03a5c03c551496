"""Figures 5.5–5.8: −ln Pr(X_H | θ) against ln ε, mean and standard deviation over the runs, with published means."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dpsampling.experiments.renyi import published
from dpsampling.experiments.renyi.checks import BETA
from dpsampling.style import FULL, PUBLISHED, Line, house_style, lines, subplots

# Moved sideways, as in the source, so that error bars do not hide each other.
SHIFT = {"direct": 0.6, "diffused": -0.3, "concentrated": 0.0, "gaussian": 0.3, "gaussian-printed": 0.45}
HIDDEN = ("gaussian-printed",)  # the source has it not, and its noise is twice what it should be


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """One panel a population."""
    points = published.points(params)
    shown = _shown(table)
    groups = [(rho, rows) for rho, rows in table.groupby("rho")] if "rho" in table else [(params["rho"], table)]
    with house_style():
        width = FULL if len(groups) == 1 else 8.0
        figure, panels = subplots(len(groups), width=width, height=3.9, sharey=True)
        for letter, axes, (rho, rows) in zip("abcdef", panels, groups, strict=False):
            _panel(axes, rows, points, shown)
            axes.set_title((f"({letter}) " if len(groups) > 1 else "") + rf"population $\rho={_fraction(float(rho))}$")
            axes.set_xlabel(r"$\ln\,\varepsilon$ (markers moved sideways)")
        law = rf"$\lambda={params['order']:g}$, $\eta_0=({_list(params['prior'])})$, $n={params['n']}$"
        figure.suptitle(f"{law}, {params['runs']} runs", fontsize=9)
        panels[0].set_ylabel(r"$-\ln\,\Pr(X_H\,|\,\theta)$ in nats, mean ± sd")
        spread = table[table["mechanism"].isin(list(shown))]
        lowest = 0.0
        if params["family"] != BETA:  # whose likelihoods are known up to a constant, and may be above 1
            lowest = min(0.0, 1.05 * float((spread["mean"] - spread["sd"]).min()))
        panels[0].set_ylim(lowest, 1.05 * float((spread["mean"] + spread["sd"]).max()))
        handles = [
            Line2D([], [], color=k.colour, linestyle=k.dash, marker=k.marker, label=k.label) for k in shown.values()
        ]
        if len(points):
            handles.append(Line2D([], [], color="0.35", markersize=8, label="published mean", **PUBLISHED))
        figure.legend(handles=handles, loc="outside lower center", ncols=2)
        return figure


def _shown(table: pd.DataFrame) -> dict[str, Line]:
    names = [name for name in dict.fromkeys(table["mechanism"]) if name not in HIDDEN]
    return lines(names, table.attrs.get("looks", {}))


def _panel(axes: Axes, rows: pd.DataFrame, points: pd.DataFrame, shown: Mapping[str, Line]) -> None:
    for mechanism, look in shown.items():
        mine = rows[rows["mechanism"] == mechanism].sort_values("epsilon")
        x = np.log(mine["epsilon"].to_numpy()) + SHIFT.get(mechanism, 0.0)
        axes.errorbar(
            x,
            mine["mean"],
            yerr=mine["sd"],
            color=look.colour,
            linestyle=look.dash,
            marker=look.marker,
            capsize=2,
            elinewidth=0.8,
        )
        rings = points[points["curve"] == mechanism]
        axes.plot(rings["x"] + SHIFT.get(mechanism, 0.0), rings["y"], color=look.colour, markersize=8, **PUBLISHED)


def _fraction(rho: float) -> str:
    near = Fraction(rho).limit_denominator(12)
    # 0.2 stays 0.2; a third, which has no short decimal, is 1/3.
    return f"{near.numerator}/{near.denominator}" if len(repr(rho)) > 8 and abs(near - rho) < 1e-12 else f"{rho!r}"


def _list(prior: list[float]) -> str:
    return ",\\,".join(f"{v:g}" for v in prior)
