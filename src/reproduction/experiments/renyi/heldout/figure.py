"""Figures 5.5–5.8: −ln Pr(X_H | θ) against ln ε, its expectation and its spread over the runs, with published means.

The source draws all mechanisms in one panel and moves them sideways, so that their bars do not hide each other. Here
each private one has a panel, in which all points stand at their own ε.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from dpsampling.release.style import PUBLISHED, CurveStyle, house_style, styles, subplots
from reproduction.experiments.renyi import published
from reproduction.experiments.renyi.checks import BETA
from reproduction.experiments.renyi.heldout import UNDISTORTED
from reproduction.experiments.renyi.styles import MECHANISMS

HIDDEN = ("gaussian-printed",)  # the source has it not, and its noise is twice what it should be
TICKS = [digit * 10.0**power for power in range(-3, 6) for digit in (1, 3)]
BAND = 0.15  # how dense a band is
RINGS = {**PUBLISHED, "markersize": 8}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """A row a population, a column a mechanism."""
    points = published.points(params)
    names = [name for name in dict.fromkeys(table["mechanism"]) if name not in HIDDEN]
    drawn = styles(names, MECHANISMS)
    private = [name for name in names if name != UNDISTORTED]
    groups = [(rho, rows) for rho, rows in table.groupby("rho")] if "rho" in table else [(params["rho"], table)]
    with house_style():
        height = 1.15 + 1.75 * len(groups)
        figure, panels = subplots(len(private), rows=len(groups), height=height, sharex=True, sharey="row")
        for row, (rho, rows) in enumerate(groups):
            line = panels[row * len(private) : (row + 1) * len(private)]
            for axes, mechanism in zip(line, private, strict=True):
                for name in (UNDISTORTED, mechanism):
                    _curve(axes, rows[rows["mechanism"] == name], drawn[name])
                    rings = points[points["curve"] == name]
                    axes.plot(rings["x"], rings["y"], color=drawn[name].colour, **RINGS)
                if row == 0:
                    axes.set_title(_broken(drawn[mechanism].label))
            line[0].set_ylabel(r"$-\ln\,\Pr(X_H\,|\,\theta)$ in nats" + "\n" + rf"$\rho={_fraction(float(rho))}$")
            if params["family"] == BETA:  # of other families likelihoods are known up to a constant, and may be above 1
                line[0].set_yscale("log")
                _ticks(line[0])
        for axes in panels[-len(private) :]:
            axes.set_xlabel(r"$\ln\,\varepsilon$ ($\varepsilon$ in nats)")
        law = rf"$\lambda={params['order']:g}$, $\eta_0=({_list(params['prior'])})$, $n={params['n']}$"
        title = f"{law}; {params['runs']} runs at each point"
        handles = _legend(drawn[UNDISTORTED], len(points) > 0)
        figure.legend(handles=handles, loc="outside lower center", ncols=3, title=title)
        return figure


def _curve(axes: Axes, rows: pd.DataFrame, style: CurveStyle) -> None:
    """The expectation as a line where it is known, else through the means; bars are wider between the quartiles."""
    rows = rows.sort_values("epsilon", kind="stable")
    x = np.log(rows["epsilon"])
    expected = rows["exact"] if rows["exact"].notna().all() else rows["mean"]
    axes.plot(x, expected, color=style.colour, linestyle=style.dash)
    seen = rows[rows["runs"] > 0]
    at = np.log(seen["epsilon"])
    if (rows["mechanism"] == UNDISTORTED).all():  # the same at every ε
        axes.fill_between(at, seen["q05"], seen["q95"], color=style.colour, alpha=BAND, linewidth=0)
    else:
        axes.vlines(at, seen["q05"], seen["q95"], color=style.colour, linewidth=0.8)
        axes.vlines(at, seen["q25"], seen["q75"], color=style.colour, linewidth=2.6, alpha=0.55)
    axes.plot(at, seen["mean"], color=style.colour, linestyle="none", marker=style.marker)


def _ticks(axes: Axes) -> None:
    low, high = axes.get_ylim()
    ticks = [tick for tick in TICKS if low <= tick <= high]
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()


def _legend(direct: CurveStyle, rings: bool) -> list[Artist]:
    grey = "0.35"
    handles: list[Artist] = [
        Line2D([], [], color=direct.colour, linestyle=direct.dash, marker=direct.marker, label=direct.label),
        Patch(facecolor=direct.colour, alpha=BAND, label="5% to 95% of its runs"),
        Line2D([], [], color=grey, label="lines: expectations"),
        Line2D([], [], color=grey, marker="o", linestyle="none", label="means of the runs"),
        Line2D([], [], color=grey, linewidth=2.6, alpha=0.55, label="quartiles of the runs"),
        Line2D([], [], color=grey, linewidth=0.8, label="5% to 95% of the runs"),
    ]
    return [*handles, Line2D([], [], color=grey, label="published mean", **RINGS)] if rings else handles


def _broken(label: str) -> str:
    """A formula after a comma has a line of its own."""
    return label.replace(", $", ",\n$", 1)


def _fraction(rho: float) -> str:
    near = Fraction(rho).limit_denominator(12)
    # 0.2 stays 0.2; a third, which has no short decimal, is 1/3.
    return f"{near.numerator}/{near.denominator}" if len(repr(rho)) > 8 and abs(near - rho) < 1e-12 else f"{rho!r}"


def _list(prior: list[float]) -> str:
    return ",\\,".join(f"{v:g}" for v in prior)
