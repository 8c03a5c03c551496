"""Pictures of releases: the house's look, and nothing in the file but the picture and what it is."""

from __future__ import annotations

import textwrap
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release.style import house_style, literal

SAID = "made of a private release's numbers"
SMALLEST = 7.0  # pt
LONGEST = 40  # characters of a name


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
