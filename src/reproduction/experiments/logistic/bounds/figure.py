"""How much of the bound of Lemma 1 small posteriors spend, and how Lemma 3's limit is reached."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release.style import BLACK, BLUE, GREEN, VERMILION, CurveStyle, Dash, house_style, subplots
from reproduction.experiments.logistic import bounds as said

STYLES = {
    said.LINEAR: CurveStyle("linear loss", BLACK, "-", "s"),
    said.PUSHED: CurveStyle("two gradients nearly opposed, d = 2", VERMILION, "--", "^"),
    said.PAIRS: CurveStyle("all neighbours on a line", BLUE, "-", "o"),
}
LIMITS: tuple[tuple[str, Dash, str], ...]
LIMITS = ((BLUE, "-", "o"), (GREEN, "-.", "D"), (VERMILION, "--", "^"), (BLACK, ":", "s"))


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Left shares of the bound, right the two limits of Lemma 3. Bands reach from the least share to the largest."""
    del params  # all of it is in the table
    with house_style():
        figure, (left, right) = subplots(2, height=3.3)
        _shares(left, table)
        _limits(right, table)
        return figure


def _shares(axes: Axes, table: pd.DataFrame) -> None:
    """The largest share over κ, ρ and n, with the least as the edge of a band."""
    table = table.assign(share=table["exact"] / table["bound"])
    for statement, style in STYLES.items():
        by_order = table[table["statement"] == statement].groupby("order")["share"]
        largest, least = by_order.max(), by_order.min()
        axes.fill_between(largest.index, least, largest, color=style.colour, alpha=0.15, linewidth=0)
        axes.semilogx(largest.index, largest, **style.drawn())
    axes.set(xlabel=r"order $\lambda$ (1 is KL)", ylabel=r"exact level over $2\rho^2c^2\lambda/\kappa$")
    axes.set(title="(a) Lemma 1: what is spent", ylim=(0.0, 1.08))
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2))


def _limits(axes: Axes, table: pd.DataFrame) -> None:
    rows = table[(table["statement"] == said.FLIPPED) & (table["order"] > 1)]  # at 1 the limit is 0
    for (precision, mine), look in zip(rows.groupby("precision"), LIMITS, strict=False):
        mine = mine.sort_values("order", kind="stable")
        style = CurveStyle(rf"$n\beta={precision:g}$", *look)
        axes.semilogx(mine["order"], mine["exact"] / mine["bound"], **style.drawn())
    axes.axhline(1.0, color="0.5", linewidth=0.8)
    axes.set(xlabel=r"order $\lambda$", ylabel=r"exact level over $(\lambda-1)/(2n\beta)$")
    axes.set_title("(b) Lemma 3: one record's label flipped")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2)
