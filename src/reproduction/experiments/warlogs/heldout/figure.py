"""Held-out score against ε, less the non-private one: a row for each model and score, a column for each log."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.event_logs.names import HIDDEN_MARKOV, LITERAL, NAIVE_BAYES, PREDICTIVE
from dpsampling.release.style import house_style, subplots, two_errors
from reproduction.experiments.panels import legend
from reproduction.experiments.warlogs.styles import NON_PRIVATE, epsilon_axis, private, tagged

SCORES = {PREDICTIVE: "predictive score", LITERAL: "literal score"}
LINEAR = 0.03  # nats, to which the axis is linear; it is logarithmic beyond
TICKS = [0.03, 0.0, -0.03, -0.1, -0.3, -1.0, -3.0, -10.0]


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Naive Bayes above, HMM below by either score; differences split by split, with two standard errors as bars."""
    logs = list(dict.fromkeys(table["log"]))
    rows = [(model, score) for model in (NAIVE_BAYES, HIDDEN_MARKOV) for score in _scores(table, model)]
    with house_style():
        figure, panels = subplots(len(logs), rows=len(rows), height=1.0 + 1.75 * len(rows), sharey="row", sharex=True)
        for axes, ((model, score), log) in zip(panels, product(rows, logs), strict=True):
            _curves(axes, table[(table["model"] == model) & (table["log"] == log) & (table["definition"] == score)])
            tagged(axes, table, log)
        for axes, (model, score) in zip(panels[:: len(logs)], rows, strict=True):
            which = SCORES[score] if len(_scores(table, model)) > 1 else "either score"
            axes.set_ylabel(f"{model},\n{which},\nnats per entry")
            _ticks(axes)
        for axes in panels[-len(logs) :]:
            axes.set_xlabel(r"privacy level $\varepsilon$")
        figure.suptitle(
            f"Held-out log-likelihood less that of the non-private fit; means over {params['splits']} splits, "
            "bars: 2 s.e.\n"
            f"of the paired differences (axes linear within {LINEAR:g} of 0, logarithmic beyond)"
        )
        legend(figure, panels[-1], 3)
    return figure


def _scores(table: pd.DataFrame, model: str) -> list[str]:
    """One of them where both are the same, as they are in a model of one state."""
    rows = table[table["model"] == model]
    kept = [rows.loc[rows["definition"] == score, "paired_mean"].tolist() for score in SCORES]
    return [] if rows.empty else [PREDICTIVE] if kept[0] == kept[1] else list(SCORES)


def _curves(axes: Axes, rows: pd.DataFrame) -> None:
    axes.axhline(0.0, color=NON_PRIVATE.colour, linewidth=1.0, label=NON_PRIVATE.label)
    for style, group in private(rows):
        two_errors(axes, group["epsilon"], group["paired_mean"], group["paired_sem"], style)
    epsilon_axis(axes, rows["epsilon"])
    axes.set_yscale("symlog", linthresh=LINEAR, linscale=0.6)


def _ticks(axes: Axes) -> None:
    """Of a row of panels, whose axes are shared."""
    low, high = axes.get_ylim()
    low, high = min(1.2 * low, -LINEAR), max(high, LINEAR / 2.0)
    ticks = [tick for tick in TICKS if low <= tick <= high]
    axes.set_yticks(ticks, [f"{tick:g}".replace("-", "\N{MINUS SIGN}") for tick in ticks])
    axes.set_yticks([], minor=True)
    axes.set_ylim(low, high)
