"""Entries by month, what noise costs a log of fewer entries, and what it does to training less held-out scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
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
        months.set_xlabel("year")
        months.set_ylabel("entries of a month, all regions")
        months.set_title("density in time")
        loss = _rows(table, facts.LOSS)
        losses.errorbar(loss["at"], loss["value"], yerr=2.0 * loss["error"], elinewidth=0.8, **_clipped())
        losses.set_xscale("log")
        losses.set_yscale("log")
        losses.set_xlabel("share of the entries")
        losses.set_ylabel("loss by noise, nats per entry")
        losses.set_title(rf"fewer entries, $\varepsilon={params['epsilon']:g}$")
        gap = _rows(table, facts.GAP_LESS).sort_values("at", kind="stable")
        gaps.axhline(0.0, color=NON_PRIVATE.colour, linewidth=1.0)
        gaps.errorbar(gap["at"], gap["value"], yerr=2.0 * gap["error"], elinewidth=0.8, **_clipped())
        gaps.set_xscale("log")
        gaps.set_xlabel(r"privacy level $\varepsilon$")
        gaps.set_ylabel("training less held-out score,\nless that without noise")
        gaps.set_title("is noise a regulariser?")
        figure.suptitle(f"{title(table, log)} ({origin(table, log)}); bars: 2 s.e.")
    return figure


def _rows(table: pd.DataFrame, quantity: str) -> pd.DataFrame:
    return table[table["quantity"] == quantity]


def _clipped() -> dict[str, Any]:
    style = LAPLACE[CLIP].drawn()
    return {name: told for name, told in style.items() if name != "label"}
