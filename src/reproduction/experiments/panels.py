"""What panels share: curves of means, plain ticks, words along the edges of a grid, and one legend below them all."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release.style import CurveStyle


def curve(axes: Axes, rows: pd.DataFrame, x: str, y: str, style: CurveStyle, **look: Any) -> None:
    """Draw the means of one column against another, with bars of two standard errors."""
    rows = rows.sort_values(x, kind="stable")
    axes.errorbar(rows[x], rows[y], yerr=2.0 * rows["standard_error"], **style.drawn(), **look)


def ticks(axes: Axes, x: Collection[float] = (), y: Collection[float] = ()) -> None:
    """Put ticks at these numbers, written plainly also on logarithmic axes, and none between them."""
    if x:
        axes.set_xticks(list(x), [f"{tick:g}" for tick in x])
    if y:
        axes.set_yticks(list(y), [f"{tick:g}" for tick in y])
    axes.minorticks_off()


def edges(panels: Sequence[Axes], columns: int, x: str, y: str) -> None:
    """Say below a grid of panels and on its left what runs along the axes of all."""
    for axes in panels[-columns:]:
        axes.set_xlabel(x)
    for axes in panels[::columns]:
        axes.set_ylabel(y)


def legend(figure: Figure, panel: Axes, columns: int, title: str | None = None) -> None:
    """Put the legend of one panel below all of them."""
    handles, labels = panel.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, title=title)
