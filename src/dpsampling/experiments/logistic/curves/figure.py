"""Scores against ln ε, a column a data set and a row an order, with the published points as open markers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dpsampling.experiments.logistic import published
from dpsampling.experiments.logistic.looks import MECHANISMS, OPS_TIGHT, called
from dpsampling.logistic import names
from dpsampling.style import PUBLISHED, house_style, subplots

YLABELS = {names.ERROR: "test error", names.NLL: "negative log-likelihood"}
SHIFT = {names.DIFFUSED: -0.08, names.CONCENTRATED: 0.0, names.OPS: 0.08}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """A panel for each data set and order. Bars are one standard deviation of the runs."""
    points = published.points(params)
    datasets = list(dict.fromkeys(table["dataset"]))
    orders = sorted(set(table["order"]))
    with house_style():
        figure, panels = subplots(
            len(datasets),
            rows=len(orders),
            width=2.7 * max(len(datasets), 2),
            height=1.0 + 2.1 * len(orders),
            sharex=True,
            sharey="col",
        )
        for i, order in enumerate(orders):
            for j, dataset in enumerate(datasets):
                axes = panels[i * len(datasets) + j]
                _panel(axes, _at(table, dataset, order), _at(points, dataset, order), params["score"])
                if i == 0:
                    axes.set_title(called(dataset))
                if i == len(orders) - 1:
                    axes.set_xlabel(r"$\ln\,\varepsilon$")
                if j == 0:
                    axes.set_ylabel(f"{YLABELS[params['score']]}\n" + rf"at $\lambda={order:g}$")
        _legend(figure, table, len(points) > 0)
        return figure


def _at(table: pd.DataFrame, dataset: str, order: float) -> pd.DataFrame:
    return table[(table["dataset"] == dataset) & (table["order"] == order)]


def _panel(axes: Axes, rows: pd.DataFrame, points: pd.DataFrame, score: str) -> None:
    for mechanism, look in MECHANISMS.items():
        mine = rows[rows["mechanism"] == mechanism].sort_values("log_epsilon")
        if not len(mine):
            continue
        x = mine["log_epsilon"] + SHIFT.get(mechanism, 0.0)
        axes.errorbar(
            x,
            mine["mean"],
            yerr=mine["sd"] if mechanism != names.DIRECT else None,
            color=look.colour,
            linestyle=look.dash,
            marker=look.marker,
            capsize=1.5,
            elinewidth=0.6,
        )
        if mechanism == names.OPS:
            axes.plot(
                mine["log_epsilon"] - math.log(2.0), mine["mean"], color=OPS_TIGHT.colour, linestyle=OPS_TIGHT.dash
            )
        rings = points[points["mechanism"] == mechanism]
        if len(rings):
            moved = rings["log_epsilon"] + SHIFT.get(mechanism, 0.0)
            axes.plot(moved, rings["mean"], color=look.colour, markersize=7, **PUBLISHED)
    if score == names.NLL:
        axes.set_yscale("log")


def _legend(figure: Figure, table: pd.DataFrame, rings: bool) -> None:
    shown = [look for name, look in MECHANISMS.items() if name in set(table["mechanism"])]
    shown += [OPS_TIGHT] if names.OPS in set(table["mechanism"]) else []
    handles = [Line2D([], [], color=k.colour, linestyle=k.dash, marker=k.marker, label=k.label) for k in shown]
    if rings:
        handles.append(Line2D([], [], color="0.35", markersize=7, label="published mean", **PUBLISHED))
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
