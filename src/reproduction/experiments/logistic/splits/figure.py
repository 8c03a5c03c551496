"""The errors of the splits in their order, with the published one as a line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from dpsampling.release.style import BLACK, BLUE, VERMILION, house_style, subplots
from reproduction.experiments.logistic import published
from reproduction.experiments.logistic.text import called


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """One dot a split, with the spread of its draws. Bars are one standard deviation of a split's draws."""
    rows = table.sort_values("mean", ignore_index=True, kind="stable")
    line = published.true_posterior(params["dataset"])
    with house_style():
        figure, (axes,) = subplots(height=3.2)
        look: dict[str, Any] = {"color": BLUE, "marker": "o", "linestyle": "none", "elinewidth": 0.6}
        label = f"{len(rows)} random splits, mean ± sd over draws"
        axes.errorbar(np.arange(1, len(rows) + 1), rows["mean"], yerr=rows["sd"], label=label, **look)
        axes.axhline(rows["mean"].mean(), color=BLACK, linewidth=0.8, linestyle=":", label="mean over the splits")
        if line is not None:
            axes.axhline(line, color=VERMILION, linestyle="--", label=f"published: {line:g}")
        axes.set(xlabel="split, from the luckiest on", ylabel="test error of the posterior")
        axes.set_title(f"{called(params['dataset'])}, {params['repeats']} draws a split")
        figure.legend(loc="outside lower center", ncols=3)
        return figure
