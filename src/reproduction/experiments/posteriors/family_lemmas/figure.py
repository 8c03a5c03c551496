"""Where the lemmas of section 4.6 are false as printed: what is bounded, beside the bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release.style import BLACK, BLUE, GREEN, VERMILION, house_style, subplots
from reproduction.experiments.posteriors import family_lemmas as said
from reproduction.experiments.posteriors.rows import rows_at


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Lemma 8, eq. 4.31, Lemma 13 and the noise of Corollary 2."""
    del params  # all of it is in the table
    with house_style():
        figure, panels = subplots(2, rows=2, height=5.2)
        for axes, draw in zip(panels, (_segment, _chebyshev, _convex, _projected), strict=True):
            draw(axes, table)
        return figure


def _segment(axes: Axes, table: pd.DataFrame) -> None:
    case = next(c for c in table.loc[table["statement"] == said.SEGMENT, "case"] if "(50," in c)
    rows = rows_at(table, said.SEGMENT, case)
    axes.loglog(rows["at"], rows["printed"], "^--", color=VERMILION, label=r"$D\|\gamma\|$, printed")
    axes.loglog(rows["at"], rows["right"], "D-.", color=GREEN, label=r"$\frac{1}{2}D\|\gamma\|^2$, proved")
    axes.loglog(rows["at"], rows["exact"], "o-", color=BLUE, label="KL divergence")
    axes.set(xlabel=r"$\|\gamma\|$", ylabel="divergence, bounds", title=f"(a) Lemma 8: {case}")
    axes.legend()


def _chebyshev(axes: Axes, table: pd.DataFrame) -> None:
    for statement, colour, style, label in (
        (said.NORM, VERMILION, "^--", r"$\|U-EU\|\geq\nu\|\mathrm{cov}\|$, printed"),
        (said.NORM_SQUARED, BLUE, "o-", r"$\|U-EU\|^2\geq\nu\|\mathrm{cov}\|$"),
    ):
        rows = rows_at(table, statement, "a coin")
        axes.semilogy(rows["at"], rows["exact"], style, color=colour, label=label)
    axes.semilogy(rows["at"], rows["right"], "s:", color=BLACK, label=r"bound $d/\nu$")
    axes.set(xlabel=r"$\nu$", ylabel="probability", title="(b) eq. 4.31: mean of $10^4$ flips")
    axes.legend()


def _convex(axes: Axes, table: pd.DataFrame) -> None:
    rows = rows_at(table, said.CONVEX, "y²/2")
    axes.loglog(rows["at"], rows["printed"], "^--", color=VERMILION, label=r"$b=w\delta/2$, printed")
    axes.loglog(rows["at"], rows["right"], "D-.", color=GREEN, label=r"$b=w\delta^2/2$")
    axes.loglog(rows["at"], rows["exact"], "o", color=BLUE, label=r"least $y^2/2$ outside")
    axes.set(xlabel=r"radius $\delta$", ylabel="value", title="(c) Lemma 13: least value, and $b$")
    axes.legend()


def _projected(axes: Axes, table: pd.DataFrame) -> None:
    rows = rows_at(table, said.PROJECTED)
    axes.loglog(rows["at"], rows["exact"], "o-", color=BLUE, label="exact")
    axes.loglog(rows["at"], rows["printed"], "^--", color=VERMILION, label="if it did not depend on $N$")
    axes.set(xlabel="$N$", ylabel="chance of a projection", title="(d) the noise of Corollary 2")
    axes.legend()
