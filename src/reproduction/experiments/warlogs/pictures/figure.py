"""The pictures of a fit: states by region and month, and what each state emits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import MaxNLocator

from dpsampling.release import style
from reproduction.experiments.warlogs import pictures
from reproduction.experiments.warlogs.text import described, origin, title

INDICATOR = {"none", "some"}
SOME = "casualties"
HURT = "civilian"  # what states are numbered by, in a log that has it
SHOWN = 10  # outcomes of a feature, the most probable ones
LONGEST = 23  # characters of a name
TALL = 0.86  # of a region's row
NUMBERED = 0.04  # of the axis; shorter runs of a state have no number
SURE = 0.75  # share of the samples, below which there is no room for it either
ROW, MARGIN = 0.25, 0.55  # inches of a region's row, and of what is around a picture's rows


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """A row of months a region, coloured by state; bars for what a state emits, the likeliest first."""
    with style.house_style():
        figure = VIEWS[params["view"]](table, params)
        style.tag(figure, origin(table, params["log"]))
    return figure


def _states(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """The most frequent state of every cell."""
    figure, (axes,) = style.subplots(height=0.6 + _height(table))
    _assignments(axes, table)
    _head(figure, f"{title(table, params['log'])}: most frequent state, {described(params)}")
    _legend(figure, table)
    return figure


def _estimates(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """One panel an estimate."""
    estimates = list(dict.fromkeys(table["estimate"]))
    height = 0.6 + (0.2 + _height(table)) * len(estimates)
    figure, panels = style.subplots(rows=len(estimates), height=height, sharex=True)
    for axes, estimate in zip(panels, estimates, strict=True):
        _assignments(axes, table[table["estimate"] == estimate])
        axes.set_title(f"estimate from the {estimate}")
    _head(figure, f"{title(table, params['log'])}, {described(params)}")
    _legend(figure, table)
    return figure


def _distributions(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """One panel a feature of the one state, indicators together."""
    shown = list(_features(table))
    figure, panels = style.subplots(len(shown), height=2.5)
    _bars(panels, shown, [1.06 * max(values) for _, _, values in shown], int(table["state"].iloc[0]))
    _head(figure, f"{title(table, params['log'])}: state {table['state'].iloc[0]}, {described(params)}")
    return figure


def _everything(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Assignments above, one row of distributions a state below, each feature on one scale."""
    kinds = [kind for kind in dict.fromkeys(table["kind"]) if kind != pictures.DISTRIBUTION]
    emitted = table[table["kind"] == pictures.DISTRIBUTION]
    states = sorted(set(emitted["state"]))
    heights = [0.2 + _height(table[table["kind"] == kind]) for kind in kinds]
    emissions = 2.1 * len(states)
    figure = Figure(figsize=(style.FULL, 0.6 + sum(heights) + emissions), layout="constrained")
    FigureCanvasAgg(figure)
    above, below = figure.subfigures(2, 1, height_ratios=[sum(heights), emissions], squeeze=False)[:, 0]
    for axes, kind in zip(above.subplots(len(kinds), 1, sharex=True, squeeze=False)[:, 0], kinds, strict=True):
        _assignments(axes, table[table["kind"] == kind])
        axes.set_title(f"states from the {kind}")
    shown = [list(_features(emitted[emitted["state"] == state])) for state in states]
    ends = [1.06 * max(max(values) for _, _, values in column) for column in zip(*shown, strict=True)]
    rows = below.subplots(len(states), len(ends), squeeze=False)
    for panels, state, features in zip(rows, states, shown, strict=True):
        _bars(list(panels), features, ends, int(state))
        panels[0].set_title(f"state {state}: {features[0][0]}")
    _head(figure, f"{title(table, params['log'])}, {described(params)}")
    _legend(figure, emitted, table[table["kind"].isin(kinds)])
    return figure


def _head(figure: Figure, text: str) -> None:
    figure.suptitle(text, x=0.01, ha="left")


def _height(table: pd.DataFrame) -> float:
    return MARGIN + ROW * table["region"].nunique()


def _assignments(axes: Axes, table: pd.DataFrame) -> None:
    """A row a region on an axis of dates, in the colour of the state.

    Where samples differ, the colour fills the share of the row that is the state's share of the samples.
    """
    regions, months = list(dict.fromkeys(table["region"])), list(dict.fromkeys(table["month"]))
    whole = style.dates([min(months)])[0], style.month_ends([max(months)])[0]
    for place, region in enumerate(regions):
        axes.add_patch(Rectangle((whole[0], place - TALL / 2), whole[1] - whole[0], TALL, **style.EMPTY))
        rows = table[table["region"] == region]
        strength = rows["frequency"] if "frequency" in rows else pd.Series(1.0, index=rows.index)
        begins, ends = style.dates(rows["month"]), style.month_ends(rows["month"])
        cells = list(zip(rows["state"].astype(int), strength.astype(float), begins, ends, strict=True))
        for state, share, begin, end in _runs(cells):
            axes.add_patch(Rectangle((begin, place + TALL / 2), end - begin, -TALL * share, **style.state_look(state)))
        for state, _, begin, end in _runs([(s, 1.0, b, e) for s, f, b, e in cells if f > SURE]):
            if end - begin > NUMBERED * (whole[1] - whole[0]):
                dark = style.lightness(style.STATES[(state - 1) % len(style.STATES)]) < 60.0
                axes.text(
                    (begin + end) / 2, place, str(state), ha="center", va="center_baseline", fontsize=style.SMALLEST,
                    color="white" if dark else "black",
                )  # fmt: skip
    axes.set_yticks(range(len(regions)), regions)
    axes.set_ylim(len(regions) - 0.5, -0.5)
    style.date_axis(axes, months)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


Run = tuple[int, float, float, float]  # a state, its share of the samples, and from when to when
Shown = tuple[str, list[str], list[float]]  # a panel's title, names and values


def _runs(cells: list[Run]) -> Iterator[Run]:
    """Neighbours that are alike as one, so that no seams are seen."""
    kept: Run | None = None
    for state, share, begin, end in cells:
        if kept and kept[:2] == (state, share) and kept[3] == begin:
            kept = (state, share, kept[2], end)
            continue
        if kept:
            yield kept
        kept = (state, share, begin, end)
    if kept:
        yield kept


def _features(rows: pd.DataFrame) -> Iterator[Shown]:
    """Yield each feature of several outcomes, and all indicators together."""
    indicators: dict[str, float] = {}
    for feature in dict.fromkeys(rows["feature"]):
        group = rows[rows["feature"] == feature]
        if set(group["outcome"]) == INDICATOR:
            indicators[_plain(feature)] = float(group.loc[group["outcome"] == "some", "probability"].iloc[0])
            continue
        top = group.nlargest(SHOWN, "probability")
        more = f" (top {SHOWN} of {len(group)})" if len(group) > SHOWN else ""
        yield _plain(feature) + more, list(top["outcome"]), list(top["probability"])
    if indicators:
        yield SOME, list(indicators), list(indicators.values())


def _bars(panels: list[Axes], features: list[Shown], ends: list[float], state: int) -> None:
    for axes, (label, names, values), end in zip(panels, features, ends, strict=True):
        places = list(range(len(names)))[::-1]
        axes.barh(places, values, height=0.72, **style.state_look(state))
        axes.set_yticks(places, [name if len(name) <= LONGEST else name[: LONGEST - 1] + "…" for name in names])
        axes.tick_params(axis="both", labelsize=style.SMALLEST)
        axes.set_ylim(-0.6, max(len(names), 3) - 0.4)
        axes.set_xlim(0.0, end)
        axes.xaxis.set_major_locator(MaxNLocator(3, steps=[1, 2, 5, 10]))
        axes.set_title(label)
        axes.set_xlabel("share of entries" if label == SOME else "probability")
        axes.grid(visible=False, axis="y")


def _plain(feature: str) -> str:
    return feature.replace("_", " ")


def _legend(figure: Figure, table: pd.DataFrame, assigned: pd.DataFrame | None = None) -> None:
    states = sorted({int(s) for s in table["state"]})
    handles = [Patch(**style.state_look(s), label=f"state {s}") for s in states]
    cells = table if assigned is None else assigned
    blank = []
    if "frequency" in cells and (cells["frequency"] < 1.0).any():
        blank.append("height of the colour: share of the samples")
    if len(set(cells["month"])) < len(np.arange(min(cells["month"]), max(cells["month"]), dtype="M8[M]")) + 1:
        blank.append("month without entries")
    if blank:
        handles.append(Patch(**style.EMPTY, label="; ".join(blank)))
    figure.legend(handles=handles, loc="outside lower center", ncols=min(len(handles), 8), title=_order(table))


def _order(table: pd.DataFrame) -> str | None:
    """Say what states are numbered by, where it is seen in the table."""
    if "feature" not in table or table["state"].nunique() < 2:
        return None
    hurt = table[(table["feature"] == HURT) & (table["outcome"] == "some")].sort_values("state", kind="stable")
    rising = len(hurt) > 0 and hurt["probability"].is_monotonic_increasing
    return "states in the order of the share of their entries that hurt civilians" if rising else None


VIEWS = {
    pictures.STATES: _states,
    pictures.DISTRIBUTIONS: _distributions,
    pictures.ESTIMATES: _estimates,
    pictures.EVERYTHING: _everything,
}
