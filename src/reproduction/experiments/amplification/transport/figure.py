"""How near Theorem 20 comes to the exact divergence, and what shrinking a release gains."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release.style import BLACK, BLUE, GREEN, GREY, VERMILION, house_style, subplots
from reproduction.experiments.amplification import transport as said
from reproduction.experiments.bound_claims import rows_of

QUANTILES = ((BLUE, "--", "v"), (BLACK, "-", "o"), (VERMILION, "-.", "^"))
SHARES = {
    "|f| = 0 R": (BLUE, "-", "o"),
    "|f| = 0.5 R": (GREEN, "-.", "D"),
    "|f| = 1 R": (BLACK, "-", "s"),
    "|f| = 2 R": (VERMILION, "--", "^"),
    "|f| = 4 R": (GREY, ":", "v"),
}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Left shares of the bound, right mean squared errors."""
    del params  # all of it is in the table
    with house_style():
        figure, (shares, errors) = subplots(2, height=3.2)
        _shares(shares, table)
        _errors(errors, table)
        return figure


def _shares(axes: Axes, table: pd.DataFrame) -> None:
    for (quantile, mine), (colour, dash, marker) in zip(
        rows_of(table, said.SHARE).groupby("x"), QUANTILES, strict=False
    ):
        label = f"{quantile:.0%} of kernels are below"
        axes.semilogx(mine["order"], mine["left"], color=colour, linestyle=dash, marker=marker, label=label)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.legend()
    axes.set(
        xlabel=r"order $\alpha$ (1 is KL)",
        ylabel="exact divergence over the best bound tried",
        title="(a) Theorem 20 on random kernels",
        ylim=(0.0, 1.04),
    )


def _errors(axes: Axes, table: pd.DataFrame) -> None:
    rows = rows_of(table, said.SHRINKAGE, said.BEYOND)
    for case, (colour, dash, marker) in SHARES.items():
        mine = rows[rows["case"] == case]
        label = case.replace(" 1 R", " R").replace(" 0 R", " 0")
        axes.loglog(mine["x"], mine["left"], color=colour, linestyle=dash, marker=marker, label=label)
    axes.axhline(1.0, color="0.4", linewidth=0.8)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.legend()
    axes.set(
        xlabel=r"promised bound $R/\sigma$ on $|f(D)|$",
        ylabel=r"mean squared error over $\sigma^2$",
        title="(b) a shrunk release, at the Gaussian's level",
    )
