"""Pictures of releases: the house's look, and nothing in the file but the picture and what it is."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from dpsampling.release.contents import Release
from dpsampling.release.style import BLUE, SEQUENCE, VERMILION, house_style, literal, subplots

SAID = "made of a private release's numbers"
SMALLEST = 7.0  # pt
LONGEST = 40  # characters of a name
ROWS = (
    ("in_the_data", "in the data\n(noise alone)", BLUE, "o"),
    ("in_the_population", "where they are from\n(noise and chance)", VERMILION, "s"),
)
ROOM = 0.15  # beside the intervals, of their width
MOST_LINES, MOST_COLUMNS = 60, 30  # of a heat map
WRITTEN = 14  # columns of a heat map that has room for numbers
BARS = 30  # outcomes of a column that have a bar
LINE = 0.2  # inches


def save(figure: Figure, path: Path) -> None:
    """As PNG, without date, version or machine."""
    with house_style():
        figure.savefig(path, format="png", metadata={"Description": SAID, "Software": None})


def name(text: str, longest: int = LONGEST) -> str:
    """A name as a label, its middle left out where it is long; dollars are no formulas."""
    line = " ".join("".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text).split())
    half = longest // 2
    return str(literal(line if len(line) <= longest else f"{line[:half]}…{line[-(longest - half - 1) :]}"))


def title(axes: Axes, text: str, width: int = 80) -> None:
    """A title of two lines at most."""
    lines = textwrap.wrap(text, width, max_lines=2, placeholder=" …", break_long_words=True)
    axes.set_title(str(literal("\n".join(lines))), loc="left")


def draw_share(release: Release, results: Mapping[str, Any], path: Path) -> None:
    """Write the picture of a share: its interval in the data, and the wider one among all that rows were drawn from."""
    shown = [(results[key], label, colour, marker) for key, label, colour, marker in ROWS if results[key]]
    with house_style():
        figure, (axes,) = subplots(width=6.0, height=0.9 + 0.5 * len(shown))
        for place, (told, _, colour, marker) in enumerate(shown):
            axes.plot([told["low"], told["high"]], [place, place], color=colour, linewidth=3.0, solid_capstyle="butt")
            axes.plot([told["estimate"]], [place], marker, color=colour, markersize=7, markeredgecolor="white")
        low, high = min(told["low"] for told, *_ in shown), max(told["high"] for told, *_ in shown)
        room = max(ROOM * (high - low), 0.005)
        axes.set_xlim(max(-0.01, low - room), min(1.01, high + room))
        axes.set_ylim(len(shown) - 0.5, -0.5)
        axes.set_yticks(range(len(shown)), [label for _, label, *_ in shown])
        axes.xaxis.set_major_formatter(PercentFormatter(1.0))
        axes.set_xlabel(f"share of “{name(str(release.declared['yes']))}”")
        axes.grid(visible=False, axis="y")
        title(axes, release.title)
        save(figure, path)


def draw_table(release: Release, results: Mapping[str, Any], path: Path) -> None:
    """Write a heat map of the cells, or, where the table is of one column or too large, bars with intervals."""
    *firsts, last = (list(map(str, outcomes)) for outcomes in release.declared["outcomes"].values())
    lines = [", ".join(line) for line in product(*firsts)] if math.prod(map(len, firsts)) <= MOST_LINES else []
    with house_style():
        if firsts and lines and len(last) <= MOST_COLUMNS:
            _heat_map(release, results, lines, last, path)
        else:
            _bars(release, results, path)


def _heat_map(
    release: Release, results: Mapping[str, Any], lines: Sequence[str], columns: Sequence[str], path: Path
) -> None:
    cells = np.array(results["cells"]["estimate"], dtype=float).reshape(len(lines), len(columns))
    labels = [name(line, 34) for line in lines]
    beneath = [name(column, 24) for column in columns]
    written = len(columns) <= WRITTEN
    width = max(4.0, 1.5 + 0.06 * max(map(len, labels)) + (0.5 if written else 0.25) * len(columns))
    slanted = max(map(len, beneath)) > 6
    height = 1.3 + LINE * len(lines) + (0.045 * max(map(len, beneath)) if slanted else 0.0)
    figure, (axes,) = subplots(width=min(width, 12.0), height=height)
    most = max(float(cells.max()), 1.0)
    shown = axes.imshow(cells, aspect="auto", cmap=SEQUENCE, vmin=0.0, vmax=most)
    axes.grid(visible=False)
    axes.set_yticks(range(len(lines)), labels, fontsize=SMALLEST + 0.5)
    axes.set_xticks(range(len(columns)), beneath, fontsize=SMALLEST + 0.5)
    if slanted:
        for label in axes.get_xticklabels():
            label.set(rotation=45, ha="right", rotation_mode="anchor")
    if written:
        for (line, column), value in np.ndenumerate(cells):
            light = value > 0.6 * most
            axes.text(
                column, line, f"{value:.0f}", ha="center", va="center", fontsize=SMALLEST,
                color="black" if light else "white",
            )  # fmt: skip
    names = list(map(str, release.declared["columns"]))
    axes.set_ylabel(", ".join(name(column, 24) for column in names[:-1]))
    axes.set_xlabel(name(names[-1]))
    bar = figure.colorbar(shown, ax=axes)
    bar.set_label("rows, about")
    title(axes, release.title, 60)
    save(figure, path)


def _bars(release: Release, results: Mapping[str, Any], path: Path) -> None:
    """A panel a column."""
    columns = results["columns"]
    tall = max(min(len(release.declared["outcomes"][column]), BARS) for column in columns)
    figure, panels = subplots(rows=len(columns), height=len(columns) * (1.1 + LINE * tall))
    for axes, (column, found) in zip(panels, columns.items(), strict=True):
        outcomes, count = list(map(str, release.declared["outcomes"][column])), found["count"]
        places = np.arange(min(len(outcomes), BARS))
        estimates, low, high = (np.array(count[end], dtype=float)[: len(places)] for end in ("estimate", "low", "high"))
        axes.barh(places, estimates, color=BLUE, alpha=0.45, height=0.7)
        axes.hlines(places, low, high, color="black", linewidth=1.4)
        axes.set_yticks(places, [name(outcome) for outcome in outcomes[: len(places)]], fontsize=SMALLEST + 0.5)
        axes.set_ylim(len(places) - 0.4, -0.6)
        axes.grid(visible=False, axis="y")
        axes.set_xlim(left=0.0)
        more = f", the first {BARS} of {len(outcomes)}" if len(outcomes) > BARS else ""
        axes.set_xlabel(f"rows by {name(column)}{more}")
    title(panels[0], release.title)
    save(figure, path)
