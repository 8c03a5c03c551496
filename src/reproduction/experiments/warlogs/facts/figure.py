"""Entries by month, what noise costs a log of fewer entries, and what it does to training less held-out scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from dpsampling.event_logs.names import CLIP
from dpsampling.release.style import house_style, subplots
from reproduction.experiments.warlogs import facts
from reproduction.experiments.warlogs.styles import LAPLACE, NON_PRIVATE
from reproduction.experiments.warlogs.text import origin, title


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Three panels; bars are two standard errors."""
    log = params["logs"][0]
    with house_style():
        figure, (months, losses, gaps) = subplots(3, height=2.8)
        by_month = _rows(table, facts.MONTHLY)
        months.plot(by_month["at"], by_month["value"], color=NON_PRIVATE.colour, linewidth=1.0)
        months.xaxis.set_major_locator(MaxNLocator(4, integer=True))
        months.set(xlabel="year", ylabel="entries of a month, all regions", title="density in time")
        _bars(losses, _rows(table, facts.LOSS))
        losses.set(xscale="log", yscale="log", xlabel="share of the entries", ylabel="loss by noise, nats per entry")
        losses.set_title(rf"fewer entries, $\varepsilon={params['epsilon']:g}$")
        gaps.axhline(0.0, color=NON_PRIVATE.colour, linewidth=1.0)
        _bars(gaps, _rows(table, facts.GAP_LESS).sort_values("at", kind="stable"))
        gaps.set(xscale="log", xlabel=r"privacy level $\varepsilon$", title="is noise a regulariser?")
        gaps.set_ylabel("training less held-out score,\nless that without noise")
        figure.suptitle(f"{title(table, log)} ({origin(table, log)}); bars: 2 s.e.")
    return figure


def _rows(table: pd.DataFrame, quantity: str) -> pd.DataFrame:
    return table[table["quantity"] == quantity]


def _bars(axes: Axes, rows: pd.DataFrame) -> None:
    style = LAPLACE[CLIP]
    look: dict[str, Any] = {"color": style.colour, "linestyle": style.dash, "marker": style.marker}
    axes.errorbar(rows["at"], rows["value"], yerr=2.0 * rows["error"], elinewidth=0.8, **look)
