"""The loss over Lloyd's against ε, a panel a data set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release.style import BLACK, BLUE, GREEN, ORANGE, PURPLE, VERMILION, house_style, scientific, subplots
from reproduction.experiments.learners import clustering as said
from reproduction.experiments.learners.spread import spread

TICKS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0)


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Means with two standard errors; the fewest and the most blocks."""
    rows = table[table["view"] == said.ERROR]
    datasets = list(dict.fromkeys(rows["dataset"]))
    few, many = min(params["block_counts"]), max(params["block_counts"])
    curves = [
        (said.MEAN, few, (ORANGE, "--", "v", f"{few} blocks, mean (review)")),
        (said.MEAN, many, (VERMILION, "--", "^", f"{many} blocks, mean (review)")),
        (said.SMOOTH, many, (GREEN, "-.", "D", f"{many} blocks, smooth median (review), (ε, δ)")),
        (said.PURE, None, (BLUE, "-", "o", "noisy Lloyd (ours)")),
        (said.GAUSSIAN, None, (PURPLE, "-", "P", "noisy Lloyd (ours), (ε, δ)")),
    ]
    with house_style():
        figure, panels = subplots(len(datasets), height=3.7)
        for axes, name in zip(panels, datasets, strict=True):
            mine = rows[rows["dataset"] == name]
            for mechanism, blocks, style in curves:
                own = mine[mine["mechanism"] == mechanism]
                _curve(axes, own if blocks is None else own[own["blocks"] == blocks], style)
            _panel(axes, mine, name)
        panels[0].set_ylabel("loss over that of Lloyd's iteration")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(
            handles,
            labels,
            loc="outside lower center",
            ncols=2,
            title=f"add or remove one record; pure but where (ε, δ) is said, δ = {scientific(params['delta'])}; "
            f"{spread(rows[rows['epsilon'].notna()])}",
        )
        return figure


def _curve(axes: Axes, rows: pd.DataFrame, style: tuple[str, str, str, str]) -> None:
    colour, dash, marker, label = style
    mine = rows.sort_values("epsilon", kind="stable")
    axes.errorbar(
        mine["epsilon"],
        mine["loss_ratio"],
        yerr=2.0 * mine["standard_error"],
        color=colour,
        linestyle=dash,
        marker=marker,
        elinewidth=0.6,
        label=label,
    )


def _panel(axes: Axes, rows: pd.DataFrame, name: str) -> None:
    (plain,) = rows.loc[rows["mechanism"] == said.LLOYD, "loss_ratio"]
    axes.axhline(plain, color=BLACK, linewidth=0.8, linestyle=":", label="Lloyd, same starts, no privacy")
    n, k, d = (int(rows[column].iloc[0]) for column in ("records", "clusters", "dimension"))
    axes.set(
        xscale="log",
        yscale="log",
        xlabel=r"privacy level $\varepsilon$",
        title=f"{name}\n$n$ = {n}, $k$ = {k}, $d$ = {d}",
    )
    most = rows["loss_ratio"].max()
    axes.set_ylim(0.9, most * 1.3)
    shown = [tick for tick in TICKS if tick < most * 1.3]
    axes.set_yticks(shown, [f"{tick:g}" for tick in shown])
    levels = [level for level in (0.01, 0.1, 1.0, 10.0) if rows["epsilon"].min() <= level <= rows["epsilon"].max()]
    axes.set_xticks(levels, [f"{level:g}" for level in levels])
    axes.minorticks_off()
