"""The pictures of a fit: states by region and month, and what each state emits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from dpsampling.experiments.warlogs import pictures
from dpsampling.experiments.warlogs.text import described, headed, origin, title
from dpsampling.style import STATES, house_style, subplots

INDICATOR = {"none", "some"}
SHOWN = 10  # outcomes of a feature, the most probable ones


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """That of the view."""
    return VIEWS[params["view"]](table, params)


def _states(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """The most frequent state of every cell."""
    with house_style():
        figure, (axes,) = subplots(width=7.0, height=2.3)
        _assignments(axes, table)
        axes.set_title(
            headed(
                f"{title(table, params['log'])}: most frequent state, {described(params)}", origin(table, params["log"])
            )
        )
        _legend(figure, table)
    return figure


def _estimates(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """One panel an estimate."""
    estimates = list(dict.fromkeys(table["estimate"]))
    with house_style():
        figure, panels = subplots(rows=len(estimates), width=7.0, height=0.3 + 1.9 * len(estimates))
        for axes, estimate in zip(panels, estimates, strict=True):
            _assignments(axes, table[table["estimate"] == estimate])
            axes.set_title(f"Estimate from the {estimate}")
        figure.suptitle(
            f"{title(table, params['log'])}, {described(params)} ({origin(table, params['log'])})", fontsize=9
        )
        _legend(figure, table)
    return figure


def _distributions(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """One panel a feature of the one state, indicators together."""
    state = int(table["state"].iloc[0])
    with house_style():
        figure, panels = subplots(_panels(table), width=8.0, height=2.9)
        _state(panels, table)
        figure.suptitle(
            f"{title(table, params['log'])}: state {state}, {described(params)} ({origin(table, params['log'])})",
            fontsize=9,
        )
    return figure


def _everything(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Assignments above, one row of distributions a state below."""
    kinds = [kind for kind in dict.fromkeys(table["kind"]) if kind != pictures.DISTRIBUTION]
    emitted = table[table["kind"] == pictures.DISTRIBUTION]
    states = sorted(set(emitted["state"]))
    with house_style():
        figure = Figure(figsize=(8.0, 1.9 * len(kinds) + 2.5 * len(states)), layout="constrained")
        FigureCanvasAgg(figure)
        parts = figure.subfigures(
            len(kinds) + len(states), 1, height_ratios=[1.9] * len(kinds) + [2.5] * len(states), squeeze=False
        )[:, 0]
        for part, kind in zip(parts, kinds, strict=False):
            axes = part.subplots()
            _assignments(axes, table[table["kind"] == kind])
            axes.set_title(f"States from the {kind}")
        for part, state in zip(parts[len(kinds) :], states, strict=True):
            rows = emitted[emitted["state"] == state]
            panels = part.subplots(1, _panels(rows), squeeze=False)[0]
            _state(list(panels), rows)
            part.suptitle(f"State {state}", fontsize=9, color=STATES[(int(state) - 1) % len(STATES)], fontweight="bold")
        figure.suptitle(
            f"{title(table, params['log'])}, {described(params)} ({origin(table, params['log'])})", fontsize=10
        )
        _legend(figure, emitted)
    return figure


def _assignments(axes: Axes, table: pd.DataFrame) -> None:
    """One coloured square a cell; paler where the state is less frequent among the samples."""
    regions, months = list(dict.fromkeys(table["region"])), list(dict.fromkeys(table["month"]))
    strength = table["frequency"] if "frequency" in table else pd.Series(1.0, index=table.index)
    image = [[(1.0, 1.0, 1.0)] * len(months) for _ in regions]
    for region, month, state, weight in zip(table["region"], table["month"], table["state"], strength, strict=True):
        colour = to_rgb(STATES[(int(state) - 1) % len(STATES)])
        pale = 0.25 + 0.75 * float(weight)
        image[regions.index(region)][months.index(month)] = tuple(1.0 - pale * (1.0 - c) for c in colour)  # type: ignore[assignment]
    axes.imshow(image, aspect="auto", interpolation="nearest")
    axes.set_yticks(range(len(regions)), regions)
    starts = [i for i, month in enumerate(months) if i == 0 or month[:4] != months[i - 1][:4]]
    axes.set_xticks([i - 0.5 for i in starts], [months[i][:4] for i in starts], ha="left")
    axes.grid(visible=False)
    for y in range(1, len(regions)):
        axes.axhline(y - 0.5, color="white", linewidth=1.5)
    for i in starts[1:]:
        axes.axvline(i - 0.5, color="white", linewidth=0.8)


def _panels(rows: pd.DataFrame) -> int:
    """One for each feature of several outcomes, one for all indicators together."""
    kinds = [set(group["outcome"]) == INDICATOR for _, group in rows.groupby("feature")]
    return kinds.count(False) + (1 if any(kinds) else 0)


def _state(panels: list[Axes], rows: pd.DataFrame) -> None:
    colour = STATES[(int(rows["state"].iloc[0]) - 1) % len(STATES)]
    indicators: dict[str, float] = {}
    left = iter(panels)
    for feature in dict.fromkeys(rows["feature"]):
        group = rows[rows["feature"] == feature]
        if set(group["outcome"]) == INDICATOR:
            indicators[_plain(feature)] = float(group.loc[group["outcome"] == "some", "probability"].iloc[0])
            continue
        top = group.nlargest(SHOWN, "probability")
        _bars(next(left), list(top["outcome"]), list(top["probability"]), colour, _plain(feature))
    if indicators:
        _bars(next(left), list(indicators), list(indicators.values()), colour, "share of entries with some")


def _bars(axes: Axes, names: list[str], values: list[float], colour: str, label: str) -> None:
    places = list(range(len(names)))[::-1]
    axes.barh(places, values, color=colour, height=0.72)
    axes.set_yticks(places, [name if len(name) <= 24 else name[:23] + "…" for name in names], fontsize=6.5)
    axes.set_ylim(-0.6, max(len(names), 3) - 0.4)
    axes.set_xlim(left=0.0)
    axes.set_title(label, fontsize=8)
    axes.tick_params(axis="x", labelsize=7)
    axes.grid(visible=False, axis="y")


def _plain(feature: str) -> str:
    return feature.replace("_", " ")


def _legend(figure: Figure, table: pd.DataFrame) -> None:
    states = sorted({int(s) for s in table["state"]})
    handles = [Patch(color=STATES[(s - 1) % len(STATES)], label=f"state {s}") for s in states]
    figure.legend(handles=handles, loc="outside lower center", ncols=min(len(handles), 10))


VIEWS = {
    pictures.STATES: _states,
    pictures.DISTRIBUTIONS: _distributions,
    pictures.ESTIMATES: _estimates,
    pictures.EVERYTHING: _everything,
}
