"""Held-out score against ε, one panel a model and log."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.experiments.warlogs.looks import NON_PRIVATE, drawn, private
from dpsampling.experiments.warlogs.text import headed, origin, title
from dpsampling.style import house_style, subplots
from dpsampling.warlogs import names
from dpsampling.warlogs.names import HIDDEN_MARKOV, NAIVE_BAYES, PREDICTIVE


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Naive Bayes above, HMM below, one column a log. Bars are two standard errors of the difference to the fit
    without privacy.
    """
    del params  # the table says it all
    logs = list(dict.fromkeys(table["log"]))
    models = [m for m in (NAIVE_BAYES, HIDDEN_MARKOV) if m in set(table["model"])]
    shown = table[table["definition"] == PREDICTIVE]
    with house_style():
        figure, panels = subplots(len(logs), rows=len(models), width=4.1 * len(logs), height=0.7 + 2.7 * len(models))
        for i, (model, log) in enumerate((m, g) for m in models for g in logs):
            axes = panels[i]
            _curves(axes, shown[(shown["log"] == log) & (shown["model"] == model)])
            axes.set_title(f"{model}, {title(table, log)}")
            if i % len(logs) == 0:
                axes.set_ylabel("held-out log-likelihood\nin nats per entry")
            if i // len(logs) == len(models) - 1:
                axes.set_xlabel(r"privacy level $\varepsilon$")
        figure.suptitle(
            headed("Held-out prediction", origin(table, *logs), "bars: 2 s.e. of the difference to non-private"),
            fontsize=9,
        )
        handles, labels = panels[-1].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure


def _curves(axes: Axes, rows: pd.DataFrame) -> None:
    plain = rows[rows["mechanism"] == names.NON_PRIVATE]["mean"].iloc[0]
    axes.axhline(plain, color=NON_PRIVATE.colour, linewidth=1.0, label=NON_PRIVATE.label)
    for look, group in private(rows):
        axes.errorbar(
            group["epsilon"],
            plain + group["paired_mean"],
            yerr=2.0 * group["paired_sem"].fillna(0.0),
            elinewidth=0.8,
            **drawn(look),
        )
    axes.set_xscale("log")
    ticks = sorted({e for e in rows["epsilon"] if math.isfinite(e)})
    if len(ticks) <= 3:
        axes.set_xticks(ticks, [f"{e:g}" for e in ticks])
