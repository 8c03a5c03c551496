"""Pictures of a hidden Markov model of noisy counts: the state of every cell, what states emit, how they follow.

States are told apart by lightness, from dark to light, and by their numbers: so also in grey.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Patch

from dpsampling.release import style
from dpsampling.release.contents import Release

SHOWN = 20  # outcomes of a feature, and
STATES = 8  # states that are drawn with bars
LONGEST = 28  # characters of a name
SMALL = 7.0  # points
MADE = "computed from noisy counts that were released with differential privacy"


def colours(states: int) -> list[tuple[float, float, float]]:
    """One for each state, from dark to light."""
    scale = mpl.colormaps[style.SEQUENCE]
    return [to_rgb(scale(0.05 + 0.85 * k / max(states - 1, 1))) for k in range(states)]


def timeline(release: Release, results: Mapping[str, Any], path: Path) -> None:
    """A line of months for each region, in the colour of the most likely state; the less likely, the paler."""
    regions, states = release.declared["regions"], results["states"]
    months = np.array([_ordinal(month) for month in release.declared["months"]])
    probabilities = np.array(results["probability_of_state"])
    usual = np.array(results["state_of_cell"]) - 1
    sure = np.take_along_axis(probabilities, usual[..., None], axis=2)
    faded = 0.9 * np.clip((sure - 1.0 / states) / (1.0 - 1.0 / states), 0.0, 1.0) + 0.1 if states > 1 else sure
    paint = np.array(colours(states))
    every = np.full((len(regions), months[-1] - months[0] + 1, 3), np.nan)
    every[:, months - months[0]] = 1.0 - faded * (1.0 - paint[usual])
    every = np.where(np.isnan(every), 1.0, every)  # months that are left out stay white
    with style.house_style():
        figure, (axes,) = style.subplots(height=min(1.1 + 0.24 * len(regions), 12.0))
        axes.imshow(
            every, aspect="auto", interpolation="nearest",
            extent=(months[0], months[-1] + 1, len(regions) - 0.5, -0.5),
        )  # fmt: skip
        _years(axes, int(months[0]), int(months[-1]) + 1)
        axes.set_yticks(range(len(regions)), [_short(region) for region in regions], fontsize=SMALL + 0.5)
        axes.set_yticks(np.arange(len(regions) - 1) + 0.5, minor=True)
        axes.tick_params(which="minor", length=0)
        axes.grid(visible=False)
        axes.grid(visible=True, which="minor", axis="y", color="white", linewidth=2)
        axes.spines[:].set_visible(False)
        if states > 1:
            _number_runs(axes, usual, sure[..., 0], months, every)
        handles = [Patch(color=colour, label=f"state {k + 1}") for k, colour in enumerate(paint[:STATES])]
        if states > STATES:
            handles.append(Patch(color=paint[-1], label=f"… to state {states}"))
        figure.legend(handles=handles, loc="outside upper center", ncols=min(len(handles), 5))
        axes.set_xlabel("pale: which state it is, is uncertain" if states > 1 else "")
        style.save(figure, path, said=MADE)


def _number_runs(axes: Axes, usual: Any, sure: Any, months: Any, every: Any) -> None:
    """The state's number where a region is in it for some while."""
    room = 0.028 * (months[-1] - months[0] + 1)
    for r, row in enumerate(usual):
        place = 0
        for k, run in groupby(row):
            many = len(list(run))
            first, last = months[place], months[place + many - 1] + 1
            if last - first >= room and last - first == many and sure[r, place : place + many].mean() > 0.5:
                shade = every[r, first - months[0] : last - months[0]].mean(axis=0) @ [0.299, 0.587, 0.114]
                axes.text(
                    (first + last) / 2, r, str(k + 1), ha="center", va="center",
                    fontsize=SMALL, color="black" if shade > 0.5 else "white",
                )  # fmt: skip
            place += many


def emissions(release: Release, results: Mapping[str, Any], path: Path) -> None:
    """The share of each outcome in each state, with its interval."""
    features = release.declared["features"]
    states = min(results["states"], STATES)
    paint = colours(results["states"])
    mean, low, high = (np.array(results["emissions"][part])[:states] for part in ("mean", "low", "high"))
    sizes = [len(feature["outcomes"]) for feature in features]
    heights = [min(size, SHOWN) * (0.1 * states + 0.08) + 0.35 for size in sizes]
    with style.house_style():
        figure, panels = style.subplots(
            rows=len(features), height=min(sum(heights) + 0.8, 60.0), gridspec_kw={"height_ratios": heights}
        )
        first = 0
        for axes, feature, size in zip(panels, features, sizes, strict=True):
            shown = np.arange(size)
            if size > SHOWN:  # the likeliest of any state, in the public order
                shown = np.sort(np.argsort(-mean[:, first : first + size].max(axis=0), kind="stable")[:SHOWN])
            width = 0.85 / states
            for k in range(states):
                at = np.arange(len(shown)) + (k - (states - 1) / 2) * width
                m, a, b = (values[k, first + shown] for values in (mean, low, high))
                axes.barh(at, m, height=width, color=paint[k], label=f"state {k + 1}", edgecolor="white", linewidth=0.3)
                axes.hlines(at, a, b, color="white", linewidth=2.2)  # so that it is seen on dark bars too
                axes.hlines(at, a, b, color="black", linewidth=0.9)
            axes.set_yticks(range(len(shown)), [_short(feature["outcomes"][j]) for j in shown], fontsize=SMALL + 0.5)
            axes.set_ylim(len(shown) - 0.4, -0.6)
            axes.grid(visible=False, axis="y")
            axes.set_xlim(left=0.0)
            axes.xaxis.set_major_formatter(mpl.ticker.PercentFormatter(1.0, decimals=None))
            more = f" (the {SHOWN} likeliest of {size})" if size > SHOWN else ""
            axes.set_title(_short(feature["title"] or feature["name"], 60) + more, loc="left")
            first += size
        panels[-1].set_xlabel(f"share of a state's events; lines: {100 * release.settings['level']:g}% intervals")
        handles, labels = panels[0].get_legend_handles_labels()
        if results["states"] > states:
            labels[-1] += f", of {results['states']}"
        figure.legend(handles, labels, loc="outside upper center", ncols=min(len(labels), 5))
        style.save(figure, path, said=MADE)


def transitions(release: Release, results: Mapping[str, Any], path: Path) -> None:
    """From the state of a month to that of the next."""
    states = results["states"]
    mean, low, high = (np.array(results["transitions"][part]) for part in ("mean", "low", "high"))
    side = min(1.6 + 0.62 * states, style.FULL)
    with style.house_style():
        figure, (axes,) = style.subplots(width=max(side, 3.2), height=max(side, 3.0))
        axes.imshow(mean, cmap="Greys", vmin=0.0, vmax=1.0)
        if states <= 8:
            for k in range(states):
                for to in range(states):
                    axes.text(
                        to, k, f"{100 * mean[k, to]:.0f}%\n{100 * low[k, to]:.0f}–{100 * high[k, to]:.0f}",
                        ha="center", va="center", fontsize=SMALL, color="white" if mean[k, to] > 0.5 else "black",
                    )  # fmt: skip
        ticks = range(0, states, max(1, states // 10))
        axes.set_xticks(ticks, [str(k + 1) for k in ticks])
        axes.set_yticks(ticks, [str(k + 1) for k in ticks])
        axes.grid(visible=False)
        axes.set_xlabel("state of the next month")
        axes.set_ylabel("state of a month")
        axes.set_title(f"probability, {100 * release.settings['level']:g}% interval", fontsize=SMALL + 1)
        style.save(figure, path, said=MADE)


def scores(release: Release, results: Mapping[str, Any], path: Path) -> None:
    """How far each number of states is below the best."""
    del release
    scored = results["scores"]
    states = [score["states"] for score in scored]
    below = [-score["below_best"] for score in scored]
    with style.house_style():
        figure, (axes,) = style.subplots(width=4.0, height=2.6)
        axes.errorbar(
            states, below, yerr=[score["error"] for score in scored], color="black", marker="o", linestyle="none",
            capsize=2,
        )  # fmt: skip
        axes.plot(
            [results["states"]], [below[results["states"] - 1]], "o", color="black", markersize=9, fillstyle="none"
        )
        axes.xaxis.set_major_locator(mpl.ticker.MaxNLocator(integer=True, nbins=10))
        axes.set_xlabel("states (ringed: chosen)")
        axes.set_ylabel("score below the best,\nnats a cell")
        style.save(figure, path, said=MADE)


def _years(axes: Axes, first: int, end: int) -> None:
    """A tick at the beginning of years or, in a short time, of months."""
    span = end - first
    step = next((s for s in (1, 3, 12, 24, 60, 120, 240, 600, 1200) if span / s <= 9), 2400)
    ticks = [m for m in range(first, end + 1) if m % step == 0]
    if len(ticks) < 2:
        ticks = [first, end]
    labels = [f"{m // 12}" if step >= 12 and m % 12 == 0 else f"{m // 12}-{m % 12 + 1:02d}" for m in ticks]
    axes.set_xticks(ticks, labels, fontsize=SMALL + 0.5)


def _ordinal(month: str) -> int:
    """Months since the year 0."""
    year, number = month.split("-")
    return 12 * int(year) + int(number) - 1


def _short(name: str, longest: int = LONGEST) -> str:
    """On one line, and a long one without its middle: names that begin alike often end differently."""
    line = " ".join(name.split())
    if len(line) > longest:
        line = f"{line[: longest - longest // 3 - 1]}…{line[-(longest // 3) :]}"
    return str(style.literal(line))
