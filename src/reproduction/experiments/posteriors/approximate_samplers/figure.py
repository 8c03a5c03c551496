"""Proposition 3, Langevin dynamics, the sensitivity of weights, and what resampling loses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release.style import BLACK, BLUE, GREEN, VERMILION, house_style, subplots
from reproduction.experiments.posteriors import approximate_samplers as said
from reproduction.experiments.posteriors.rows import rows_at


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Four panels."""
    del params  # all of it is in the table
    with house_style():
        figure, panels = subplots(2, rows=2, height=5.4)
        for axes, draw in zip(panels, (_near, _langevin, _weights, _resampling), strict=True):
            draw(axes, table)
        return figure


def _near(axes: Axes, table: pd.DataFrame) -> None:
    """Randomized response at a middle ε."""
    cases = [c for c in rows_at(table, said.NEAR)["case"].unique() if c.startswith("randomized")]
    case = sorted(cases)[len(cases) // 2]
    rows = rows_at(table, said.NEAR, case)
    axes.loglog(rows["at"], rows["printed"], "^--", color=VERMILION, label=r"$(1+e^\varepsilon)\delta$")
    axes.loglog(rows["at"], rows["right"], "D-.", color=GREEN, label=r"$(1+e^\varepsilon)\delta/2$")
    axes.loglog(rows["at"], rows["exact"], "o", color=BLUE, label="needed")
    axes.set(xlabel=r"L1 distance $\delta$", ylabel=r"$\delta$ of the sampler", title="(a) Proposition 3")
    axes.legend()


def _langevin(axes: Axes, table: pd.DataFrame) -> None:
    for case, style, colour in ((said.DECREASING, "o-", BLUE), (said.CONSTANT, "^--", VERMILION)):
        rows = rows_at(table, said.LANGEVIN, case)
        axes.loglog(rows["at"], rows["exact"], style, color=colour, label=case)
    axes.set(xlabel="steps", ylabel="distance, posterior s.d.", title="(b) Langevin dynamics")
    axes.legend()


def _weights(axes: Axes, table: pd.DataFrame) -> None:
    rows = rows_at(table, said.WEIGHTS)
    axes.semilogx(rows["at"], rows["exact"], "o-", color=BLUE, label="exact")
    axes.semilogx(rows["at"], rows["printed"], "--", color=VERMILION, label="2, as printed")
    axes.set(xlabel=r"$\sum|\varepsilon_j-\varepsilon_{j+1}|$", ylabel="L1 sensitivity", title="(c) normalized weights")
    axes.legend()


def _resampling(axes: Axes, table: pd.DataFrame) -> None:
    rows, error = rows_at(table, said.RESAMPLED), rows_at(table, said.RESAMPLING_ERROR)
    axes.loglog(rows["at"], rows["exact"], "o-", color=BLUE, label="level")
    axes.loglog(rows["at"], rows["printed"], ":", color=BLACK, label=r"$\varepsilon$, promised")
    axes.loglog(error["at"], error["exact"], "^--", color=VERMILION, label="distance from the weights")
    axes.set(xlabel=r"$\varepsilon$", ylabel="level; total variation", title="(d) resampling")
    axes.legend()
