"""The picture of a table: a heat map of its cells, or, where it is of one column or too large, bars with intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from dpsampling.release import pictures
from dpsampling.release.contents import Release
from dpsampling.release.style import BLUE, SEQUENCE, house_style, subplots

MOST_LINES, MOST_COLUMNS = 60, 30  # of a heat map
WRITTEN = 14  # columns of a heat map that has room for numbers
BARS = 30  # outcomes of a column that have a bar
LINE = 0.2  # inches


def draw(release: Release, results: Mapping[str, Any], path: Path) -> None:
    """Write it."""
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
    labels = [pictures.name(line, 34) for line in lines]
    beneath = [pictures.name(column, 24) for column in columns]
    written = len(columns) <= WRITTEN
    width = max(4.0, 1.5 + 0.06 * max(map(len, labels)) + (0.5 if written else 0.25) * len(columns))
    slanted = max(map(len, beneath)) > 6
    height = 1.3 + LINE * len(lines) + (0.045 * max(map(len, beneath)) if slanted else 0.0)
    figure, (axes,) = subplots(width=min(width, 12.0), height=height)
    most = max(float(cells.max()), 1.0)
    shown = axes.imshow(cells, aspect="auto", cmap=SEQUENCE, vmin=0.0, vmax=most)
    axes.grid(visible=False)
    axes.set_yticks(range(len(lines)), labels, fontsize=pictures.SMALLEST + 0.5)
    axes.set_xticks(range(len(columns)), beneath, fontsize=pictures.SMALLEST + 0.5)
    if slanted:
        for label in axes.get_xticklabels():
            label.set(rotation=45, ha="right", rotation_mode="anchor")
    if written:
        for (line, column), value in np.ndenumerate(cells):
            light = value > 0.6 * most
            axes.text(
                column, line, f"{value:.0f}", ha="center", va="center", fontsize=pictures.SMALLEST,
                color="black" if light else "white",
            )  # fmt: skip
    names = list(map(str, release.declared["columns"]))
    axes.set_ylabel(", ".join(pictures.name(name, 24) for name in names[:-1]))
    axes.set_xlabel(pictures.name(names[-1]))
    bar = figure.colorbar(shown, ax=axes)
    bar.set_label("rows, about")
    pictures.title(axes, release.title, 60)
    pictures.save(figure, path)


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
        axes.set_yticks(
            places, [pictures.name(outcome) for outcome in outcomes[: len(places)]], fontsize=pictures.SMALLEST + 0.5
        )
        axes.set_ylim(len(places) - 0.4, -0.6)
        axes.grid(visible=False, axis="y")
        axes.set_xlim(left=0.0)
        more = f", the first {BARS} of {len(outcomes)}" if len(outcomes) > BARS else ""
        axes.set_xlabel(f"rows by {pictures.name(column)}{more}")
    pictures.title(panels[0], release.title)
    pictures.save(figure, path)
