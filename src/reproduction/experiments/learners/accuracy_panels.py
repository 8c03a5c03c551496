"""Accuracy against ε, a panel for each data set: mechanisms as curves with standard errors, no privacy as lines."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release.style import PUBLISHED, CurveStyle, house_style, subplots
from reproduction.experiments.learners.planted import PLANTED
from reproduction.experiments.learners.spread import spread
from reproduction.experiments.panels import curve, ticks


def draw(
    rows: pd.DataFrame,
    curves: Mapping[str, CurveStyle],
    lines: Mapping[str, CurveStyle],
    published: Mapping[str, Mapping[float, float]] | None = None,
) -> Figure:
    """All data sets of these rows, in their order, and accuracies that others have published by data set and ε."""
    datasets = list(dict.fromkeys(rows["dataset"]))
    with house_style():
        figure, panels = subplots(len(datasets), height=4.2)
        for axes, dataset in zip(panels, datasets, strict=True):
            mine = rows[rows["dataset"] == dataset]
            _panel(axes, mine, curves, lines)
            points = (published or {}).get(dataset, {})
            if points:
                rings = {**PUBLISHED, "color": "black", "markersize": 7}
                axes.plot(list(points), list(points.values()), label="private boosted trees, published", **rings)
            axes.set_title(f"{dataset if dataset == PLANTED else dataset.capitalize()}, n = {mine['n'].iloc[0]:g}")
            axes.set_xlabel("privacy level ε, as stated")
        panels[0].set_ylabel(f"accuracy on test rows,\n{spread(rows)}")
        legends = [zip(*axes.get_legend_handles_labels(), strict=True) for axes in panels]
        known = {label: handle for entries in legends for handle, label in entries}
        figure.legend(list(known.values()), list(known), loc="outside lower center", ncols=1)
        return figure


def _panel(axes: Axes, rows: pd.DataFrame, curves: Mapping[str, CurveStyle], lines: Mapping[str, CurveStyle]) -> None:
    for name, style in curves.items():
        curve(axes, rows[rows["mechanism"] == name], "epsilon", "accuracy", style, capsize=1.5, elinewidth=0.7)
    for name, style in lines.items():
        for accuracy in rows.loc[rows["mechanism"] == name, "accuracy"]:
            axes.axhline(accuracy, color=style.colour, linestyle=style.dash, linewidth=0.9, label=style.label)
    axes.set_xscale("log")
    ticks(axes, (0.01, 0.1, 1.0, 10.0))
