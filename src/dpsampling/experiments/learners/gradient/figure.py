"""ε by every accountant at three settings, and test errors against ε."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from dpsampling.experiments.learners import gradient as said
from dpsampling.style import BLACK, BLUE, GREY, PURPLE, SKY, TEAL, VERMILION, house_style, subplots

MARKS = (
    (said.PUBLIC, said.REPLACED, "<", "none", PURPLE, "batches not amplified, replaced"),
    (said.PUBLIC, said.ADDED, "<", PURPLE, PURPLE, "batches not amplified"),
    (said.LOSSES, said.REPLACED, "o", "none", BLUE, "privacy losses, a record replaced"),
    (said.MOMENTS, said.ADDED, "D", TEAL, TEAL, "moments (32 orders)"),
    (said.RENYI, said.ADDED, "s", SKY, SKY, "Rényi divergence"),
    (said.LOSSES, said.ADDED, "o", BLUE, BLUE, "privacy losses"),
    (said.LIMIT, said.ADDED, "x", VERMILION, VERMILION, "Gaussian limit (no promise)"),
    (said.EACH, said.ADDED, "*", BLACK, BLACK, "noise on each gradient"),
)
DASHES = ("-", "--", ":", "-.")


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Accounts on the left, errors on the right."""
    with house_style():
        figure, (left, right) = subplots(2, width=7.2, height=4.0)
        _accounts(left, table[table["view"] == said.ACCOUNTED], params)
        _errors(right, table[table["view"] == said.TRAINED], params)
        return figure


def _accounts(axes: Axes, rows: pd.DataFrame, params: Mapping[str, Any]) -> None:
    rows = rows[rows["dataset"] != said.ONE_STEP]
    names = list(dict.fromkeys(rows["dataset"]))
    for accountant, relation, marker, face, edge, label in MARKS:
        mine = rows[(rows["accountant"] == accountant) & (rows["relation"] == relation)]
        axes.plot(
            mine["epsilon"],
            [names.index(name) for name in mine["dataset"]],
            marker=marker,
            markersize=6,
            linestyle="none",
            markerfacecolor=face,
            markeredgecolor=edge,
            label=label,
        )
    first = rows.drop_duplicates("dataset").set_index("dataset")
    labels = [
        f"{name}\nσ = {at['sigma']:g}, B = {at['batch']}\nT = {at['steps']}"
        for name, at in ((name, first.loc[name]) for name in names)
    ]
    axes.set_yticks(range(len(names)), labels)
    axes.set_ylim(-0.5, len(names) - 0.5)
    axes.set_xscale("log")
    axes.set(xlabel=rf"$\varepsilon$ at $\delta$ = {params['delta']:g}", title="(a) what it spends")
    axes.legend(loc="upper center", bbox_to_anchor=(0.3, -0.2), ncols=2, columnspacing=0.8, handletextpad=0.2)


def _errors(axes: Axes, rows: pd.DataFrame, params: Mapping[str, Any]) -> None:
    batches = sorted(set(rows["batch"]))
    for method, colour, marker in ((said.SUM, BLUE, "o"), (said.EACH_GRADIENT, VERMILION, "^")):
        for batch, dash in zip(batches, DASHES, strict=False):
            mine = rows[(rows["method"] == method) & (rows["batch"] == batch) & rows["epsilon"].notna()]
            if not len(mine):
                continue
            mine = mine.sort_values("epsilon")
            axes.errorbar(
                mine["epsilon"],
                mine["error"],
                yerr=2.0 * mine["standard_error"],
                color=colour,
                linestyle=dash,
                marker=marker,
                capsize=2.0,
                elinewidth=0.7,
                label=f"{method}, B = {batch}",
            )
    for batch, dash in zip(batches, DASHES, strict=False):
        plain = rows[(rows["method"] == said.PLAIN) & (rows["batch"] == batch)]
        level = float(plain["error"].iloc[0])
        axes.axhline(level, color=BLACK, linewidth=0.8, linestyle=dash, label=f"no noise, B = {batch}")
    axes.set_xscale("log")
    ticks = sorted(set(rows["epsilon"].dropna()) & set(params["epsilons"]))
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.minorticks_off()
    n = int(rows["records"].iloc[0])
    axes.set(
        xlabel=f"$\\varepsilon$ of noise on the sum, $\\delta$ = {params['delta']:g},\none record more or less",
        ylabel="test error, mean ± 2 standard errors",
        title=f"(b) {rows['dataset'].iloc[0]}, n = {n}, {params['epochs']} epochs",
    )
    axes.axhline(0.5, color=GREY, linewidth=0.8, linestyle=(0, (1, 3)), label="a coin")
    axes.legend(loc="upper center", bbox_to_anchor=(0.45, -0.2), ncols=2, columnspacing=0.8)
