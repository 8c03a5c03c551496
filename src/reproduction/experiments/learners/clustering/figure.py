"""The loss over Lloyd's against ε, a panel a data set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release import style
from dpsampling.release.style import CurveStyle
from reproduction.experiments.learners import clustering as said
from reproduction.experiments.learners.spread import spread
from reproduction.experiments.panels import curve, legend, ticks

TICKS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0)


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Means with two standard errors; the fewest and the most blocks."""
    rows = table[table["view"] == said.ERROR]
    datasets = list(dict.fromkeys(rows["dataset"]))
    few, many = min(params["block_counts"]), max(params["block_counts"])
    curves = [
        (said.MEAN, few, CurveStyle(f"{few} blocks, mean (review)", style.ORANGE, "--", "v")),
        (said.MEAN, many, CurveStyle(f"{many} blocks, mean (review)", style.VERMILION, "--", "^")),
        (said.SMOOTH, many, CurveStyle(f"{many} blocks, smooth median (review), (ε, δ)", style.GREEN, "-.", "D")),
        (said.PURE, None, CurveStyle("noisy Lloyd (ours)", style.BLUE, "-", "o")),
        (said.GAUSSIAN, None, CurveStyle("noisy Lloyd (ours), (ε, δ)", style.PURPLE, "-", "P")),
    ]
    with style.house_style():
        figure, panels = style.subplots(len(datasets), height=3.7)
        for axes, name in zip(panels, datasets, strict=True):
            mine = rows[rows["dataset"] == name]
            for mechanism, blocks, look in curves:
                own = mine[(mine["mechanism"] == mechanism) & (mine["blocks"].isna() | (mine["blocks"] == blocks))]
                curve(axes, own, "epsilon", "loss_ratio", look, elinewidth=0.6)
            _panel(axes, mine, name)
        panels[0].set_ylabel("loss over that of Lloyd's iteration")
        title = (
            f"add or remove one record; pure but where (ε, δ) is said, δ = {style.scientific(params['delta'])}; "
            f"{spread(rows[rows['epsilon'].notna()])}"
        )
        legend(figure, panels[0], 2, title)
        return figure


def _panel(axes: Axes, rows: pd.DataFrame, name: str) -> None:
    (plain,) = rows.loc[rows["mechanism"] == said.LLOYD, "loss_ratio"]
    axes.axhline(plain, color=style.BLACK, linewidth=0.8, linestyle=":", label="Lloyd, same starts, no privacy")
    n, k, d = (int(rows[column].iloc[0]) for column in ("records", "clusters", "dimension"))
    axes.set(xscale="log", yscale="log", xlabel=r"privacy level $\varepsilon$")
    axes.set_title(f"{name}\n$n$ = {n}, $k$ = {k}, $d$ = {d}")
    most = 1.3 * rows["loss_ratio"].max()
    axes.set_ylim(0.9, most)
    levels = [level for level in (0.01, 0.1, 1.0, 10.0) if rows["epsilon"].min() <= level <= rows["epsilon"].max()]
    ticks(axes, levels, [tick for tick in TICKS if tick < most])
