"""The picture of a share: its interval in the data, and the wider one among all that the rows were drawn from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matplotlib.ticker import PercentFormatter

from dpsampling.release import pictures
from dpsampling.release.contents import Release
from dpsampling.release.style import BLUE, VERMILION, house_style, subplots

ROWS = (
    ("in_the_data", "in the data\n(noise alone)", BLUE, "o"),
    ("in_the_population", "where they are from\n(noise and chance)", VERMILION, "s"),
)
ROOM = 0.15  # beside the intervals, of their width


def draw(release: Release, results: Mapping[str, Any], path: Path) -> None:
    """Write it."""
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
        axes.set_xlabel(f"share of “{pictures.name(str(release.declared['yes']))}”")
        axes.grid(visible=False, axis="y")
        pictures.title(axes, release.title)
        pictures.save(figure, path)
