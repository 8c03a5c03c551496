"""Scores against ln ε, a column a data set and a row an order, with the published points as open markers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dpsampling.learners.logistic import names
from dpsampling.release.style import PUBLISHED, barred, house_style, subplots
from reproduction.experiments.logistic import published
from reproduction.experiments.logistic.styles import MECHANISMS, OPS_TIGHT
from reproduction.experiments.logistic.text import called

YLABELS = {names.ERROR: "test error", names.NLL: "negative log-likelihood, nats"}
BAND = 0.2  # how dense the posterior's band is


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """A panel for each data set and order. Bars are one standard deviation of the runs."""
    points = published.points(params)
    datasets = list(dict.fromkeys(table["dataset"]))
    orders = sorted(set(table["order"]))
    with house_style():
        height = 1.0 + 1.7 * len(orders)
        figure, panels = subplots(len(datasets), rows=len(orders), height=height, sharex=True, sharey="col")
        for axes, (order, dataset) in zip(panels, product(orders, datasets), strict=True):
            _panel(axes, _at(table, dataset, order), _at(points, dataset, order), params["score"])
        for axes, dataset in zip(panels, datasets, strict=False):
            axes.set_title(called(dataset))
        for axes, order in zip(panels[:: len(datasets)], orders, strict=True):
            axes.set_ylabel(f"{YLABELS[params['score']]}\n" + rf"at $\lambda={order:g}$")
        for axes in panels[-len(datasets) :]:
            axes.set_xlabel(r"$\ln\,\varepsilon$")
        _legend(figure, table, len(points) > 0, params["repeats"])
        return figure


def _at(table: pd.DataFrame, dataset: str, order: float) -> pd.DataFrame:
    return table[(table["dataset"] == dataset) & (table["order"] == order)]


def _panel(axes: Axes, rows: pd.DataFrame, points: pd.DataFrame, score: str) -> None:
    for mechanism, style in MECHANISMS.items():
        mine = rows[rows["mechanism"] == mechanism].sort_values("log_epsilon", kind="stable")
        if not len(mine):
            continue
        level, ends = mine["log_epsilon"], (mine["mean"] - mine["sd"], mine["mean"] + mine["sd"])
        if mechanism == names.DIRECT:
            axes.fill_between(level, *ends, color=style.colour, alpha=BAND, linewidth=0)
            axes.plot(level, mine["mean"], **style.drawn())
        else:
            barred(axes, level, mine["mean"], *ends, style)
        if mechanism == names.OPS:
            axes.plot(level - math.log(2.0), mine["mean"], color=OPS_TIGHT.colour, linestyle=OPS_TIGHT.dash)
        rings = points[points["mechanism"] == mechanism]
        if len(rings):
            ring = {**PUBLISHED, "marker": style.marker, "markersize": 7}
            axes.plot(rings["log_epsilon"], rings["mean"], color=style.colour, **ring)
    if score == names.NLL:
        axes.set_yscale("log")


def _legend(figure: Figure, table: pd.DataFrame, rings: bool, draws: int) -> None:
    shown = [style for name, style in MECHANISMS.items() if name in set(table["mechanism"])]
    shown += [OPS_TIGHT] if names.OPS in set(table["mechanism"]) else []
    handles = [Line2D([], [], **style.drawn()) for style in shown]
    if rings:
        handles.append(Line2D([], [], color="0.35", markersize=7, label="hollow: published mean", **PUBLISHED))
    title = f"means of {draws} draws on one split, band and bars: one standard deviation to either side"
    figure.legend(handles=handles, loc="outside lower center", ncols=3, title=title)
