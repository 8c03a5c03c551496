"""One row a mechanism: what it claims, what it costs, and what a black box found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from dpsampling.audit.known_mechanisms.names import (
    AT_LEAST,
    AT_MOST,
    BROKEN,
    DELTA,
    EPSILON,
    EXACT,
    INFINITE,
    RIGHT,
    UNDECIDED,
)
from dpsampling.release.style import BLUE, GREY, SMALLEST, VERMILION, house_style, subplots
from reproduction.experiments.auditing.public_mechanisms.published import bounds

COLOURS = {RIGHT: BLUE, BROKEN: VERMILION, UNDECIDED: GREY}
MARKERS = {EXACT: "o", AT_LEAST: ">", AT_MOST: "<", INFINITE: ">"}
ROW = 0.132  # inches
FAR = 30.0  # claims: beyond are noise with its scale upside down, and what is or might be infinite
ALONE: dict[str, Any] = {"linestyle": "none"}
CLAIM = ALONE | {"marker": "|", "color": "0.1", "markersize": 8, "markeredgewidth": 1.3, "zorder": 3}
SEEN = ALONE | {"marker": "x", "color": "0.35", "markersize": 4, "markeredgewidth": 0.9, "zorder": 4}
BOX = ALONE | {"marker": "D", "color": "0.1", "markerfacecolor": "none", "markersize": 5, "zorder": 5}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """A panel a group and measure."""
    panels = [rows for _, rows in table.groupby(["group", "measure"], sort=False)]
    sizes = [len(rows) + 1.0 for rows in panels]
    lower_bounds = bounds(params)
    with house_style():
        height = ROW * sum(sizes) + 0.38 * len(panels) + 0.75
        figure, axes = subplots(rows=len(panels), height=height, height_ratios=sizes)
        limits = _limits(table[table["measure"] == EPSILON], lower_bounds)
        for panel, rows in zip(axes, panels, strict=True):
            is_delta = set(rows["measure"]) == {DELTA}
            _panel(panel, rows, lower_bounds, _limits(rows, {}) if is_delta else limits)
            panel.set_title(rows["group"].iloc[0], pad=3)
            of_delta = rf"$\delta$ at $\varepsilon={params['epsilon']:g}$"
            panel.set_xlabel(of_delta if is_delta else r"privacy level $\varepsilon$", labelpad=1)
        figure.legend(handles=_legend(bool(lower_bounds)), loc="outside lower center", ncols=4)
        return figure


def _panel(axes: Axes, rows: pd.DataFrame, lower_bounds: Mapping[str, float], limits: tuple[float, float]) -> None:
    axes.set_xscale("log")
    axes.set_xlim(*limits)
    axes.set_yticks(range(len(rows)), list(rows["label"]), fontsize=SMALLEST)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", labelsize=SMALLEST, pad=2)
    if limits[0] > 1e-3:
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    end = limits[1] / 1.06
    for y, row in enumerate(rows.to_dict("records")):
        colour, price, seen = COLOURS[row["verdict"]], row["certified"], row["on_published_inputs"]
        axes.plot(row["claimed"], y, **CLAIM)
        if seen < min(price * (1.0 - 1e-6), end):
            axes.plot(seen, y, **SEEN)
        least = "≥ " if row["kind"] == AT_LEAST else ""
        beyond = "" if price < end else "∞" if row["kind"] == INFINITE else f"{least}{price:.3g}"
        axes.plot(min(price, end), y, ">" if beyond else MARKERS[row["kind"]], **_price(row["verdict"]))
        bound = lower_bounds.get(row["specimen"], 0.0)
        if 0 < bound < end:
            axes.plot(bound, y, **BOX)
        elif bound:
            beyond += f" (◇ {bound:.2g})"
        beside: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "va": "center", "fontsize": SMALLEST}
        axes.annotate(beyond, (1.01, y), color=colour, **beside)


def _price(verdict: str) -> dict[str, Any]:
    """Hollow where it is what is claimed, filled where it is more."""
    face = "white" if verdict == RIGHT else COLOURS[verdict]
    return {"color": COLOURS[verdict], "markerfacecolor": face, "markersize": 4.5, "zorder": 4}


def _limits(rows: pd.DataFrame, lower_bounds: Mapping[str, float]) -> tuple[float, float]:
    """Around every number; prices of more than `FAR` claims stand at the edge, and in words beside it."""
    columns = [rows[name] for name in ("claimed", "certified", "on_published_inputs")]
    shown = pd.concat([*columns, pd.Series(lower_bounds, dtype=float)])
    far = 1.0 if set(rows["measure"]) == {DELTA} else FAR * float(rows["claimed"].min())
    near = shown[(shown > 0) & (shown <= far)]
    return float(near.min()) / 1.3, 1.4 * float(near.max())


def _legend(has_bounds: bool) -> list[Line2D]:
    looks = {
        "claimed": CLAIM,
        **{f"price, {verdict}": {"marker": "o", **_price(verdict)} for verdict in (RIGHT, BROKEN)},
        **{f"price is {kind}": {"color": "0.5", "marker": MARKERS[kind]} for kind in (AT_LEAST, AT_MOST)},
        "price on the published inputs": SEEN,
        **({"published black-box lower bound": BOX} if has_bounds else {}),
    }
    return [Line2D([], [], **ALONE | look, label=label) for label, look in looks.items()]
