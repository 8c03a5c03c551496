"""Each term of the approximation as printed and as it should be, against the closed form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release.style import BLUE, GREEN, VERMILION, house_style, subplots
from reproduction.experiments.posteriors import laplace_approximation as said

BERNOULLI, FIRST, CORNER = "Bernoulli", "∂1", "∂1∂1"


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Main term, first correction, gradient and Hessian, of the Bernoulli system."""
    del params  # all of it is in the table
    with house_style():
        figure, axes = subplots(2, rows=2, height=5.2)
        _errors(axes[0], _rows(table, said.EXPONENT, BERNOULLI))
        _limit(axes[1], _rows(table, said.CORRECTION, BERNOULLI), "$k(Z-1)$", "(b) eq. 4.47: first correction")
        _limit(axes[2], _rows(table, said.SLOPE, FIRST), r"$\partial_{\psi_1}\ln F_k$", "(c) eq. 4.52: gradient")
        _limit(
            axes[3], _rows(table, said.CURVATURE, CORNER), r"$k\,\partial^2_{\psi_1}\ln F_k$", "(d) eq. 4.55: Hessian"
        )
        handles, labels = axes[3].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3)
        return figure


def _rows(table: pd.DataFrame, statement: str, case: str) -> pd.DataFrame:
    return table[(table["statement"] == statement) & (table["case"] == case)].sort_values("k", kind="stable")


def _errors(axes: Axes, rows: pd.DataFrame) -> None:
    """On logarithmic axes, for the error as printed grows like k and that of the corrected form falls like 1/k."""
    for column, style, colour in (("printed", "^--", VERMILION), ("right", "D-.", GREEN)):
        axes.loglog(rows["k"], (rows[column] - rows["exact"]).abs(), style, color=colour)
    axes.set(xlabel="$k$", ylabel=r"error of $\ln F_k$", title="(a) eq. 4.46: main term")


def _limit(axes: Axes, rows: pd.DataFrame, label: str, title: str) -> None:
    axes.semilogx(rows["k"], rows["exact"], "o-", color=BLUE, label="closed form")
    axes.semilogx(rows["k"], rows["printed"], "^--", color=VERMILION, label="as printed")
    axes.semilogx(rows["k"], rows["right"], "D-.", color=GREEN, label="corrected")
    axes.set(xlabel="$k$", ylabel=label, title=title)
