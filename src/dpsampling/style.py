"""How every figure looks, and how it is written with bytes that depend on its content alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any, Literal

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from dpsampling.errors import InputError, reason
from dpsampling.files import staged
from dpsampling.randomness import EVALUATION

FORMATS = ("pdf", "png", "svg")
CAPTION = "Comment"  # under which of its words a PNG file holds what the figure shows
WIDTH = 6.0  # inches; the text width of a thesis page


Dash = Literal["-", "--", "-.", ":"]


@dataclass(frozen=True)
class Line:
    """One mechanism's look, told apart by colour, dash and marker (Okabe-Ito colours)."""

    label: str
    colour: str
    dash: Dash
    marker: str


# Okabe and Ito's colours, which most eyes tell apart, and two more.
BLACK, BLUE, VERMILION, GREEN, PURPLE = "#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, GREY, YELLOW, WINE, TEAL = "#E69F00", "#56B4E9", "#999999", "#F0E442", "#882255", "#44AA99"
# The looks that a registry's entry may name: told apart by colour, dash and marker.
LOOKS: dict[str, tuple[str, Dash, str]] = {
    "black": (BLACK, "-", "s"),
    "blue": (BLUE, "-", "o"),
    "vermilion": (VERMILION, "--", "^"),
    "green": (GREEN, "-.", "D"),
    "purple": (PURPLE, ":", "v"),
    "orange": (ORANGE, "-", "P"),
    "sky": (SKY, "--", "X"),
    "grey": (GREY, "-.", "<"),
    "wine": (WINE, ":", ">"),
    "teal": (TEAL, "-", "*"),
}
# The states of a fitted model, by number.
STATES = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, GREY, YELLOW, WINE, TEAL)
# Ordered values, from dark to light, also readable in grey.
SEQUENCE = "viridis"
PUBLISHED: dict[str, Any] = {
    "marker": "o",
    "linestyle": "none",
    "markerfacecolor": "none",
    "markeredgewidth": 0.7,
    "zorder": 4,
}

_RC: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.labelsize": 9,
    "axes.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "lines.markersize": 4,
    "mathtext.fontset": "dejavusans",
    "figure.dpi": 100,
    "savefig.dpi": 200,
    "pdf.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "dpsampling",
}


def lines(names: Iterable[str], told: Mapping[str, Sequence[str]]) -> dict[str, Line]:
    """The look of each name: the label and the look that are told of it, or its own name and a look that is free."""
    known = {name: told[name] for name in names if name in told and told[name][1] in LOOKS}
    free = cycle([look for look in LOOKS if look not in {look for _, look in known.values()}] or list(LOOKS))
    chosen = {name: known.get(name) or (name.replace("-", " "), next(free)) for name in names}
    return {name: Line(label, *LOOKS[look]) for name, (label, look) in chosen.items()}


@contextmanager
def house_style() -> Iterator[None]:
    """Settings that do not depend on the machine's matplotlibrc."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_RC)  # type: ignore[arg-type]  # its stubs want literal keys
        yield


def subplots(
    columns: int = 1, *, rows: int = 1, width: float = WIDTH, height: float = 3.6, **keywords: Any
) -> tuple[Figure, list[Axes]]:
    """A figure with its panels row by row, made without a global state or a window."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, columns, squeeze=False, **keywords)
    return figure, list(axes.ravel())


def literal(value: Any) -> Any:
    """What matplotlib draws as this text, or as the texts in this, where it would take dollars for formulas."""
    if isinstance(value, str):
        return value.replace("$", r"\$")
    if isinstance(value, Mapping):
        return {literal(key): literal(item) for key, item in value.items()}
    return [literal(item) for item in value] if isinstance(value, list) else value


def check_format(target: Path) -> str:
    """The format that a file name asks for."""
    name = target.suffix.lower().removeprefix(".")
    if name not in FORMATS:
        raise InputError(f"{target} has no known ending; a figure is written as .pdf, .png or .svg.")
    return name


def save(figure: Figure, *targets: Path, said: str = EVALUATION, caption: str = "") -> None:
    """Write a figure in one or more formats, all or none; no date, version or machine goes into the files.

    Each says of itself that its numbers are made with a public seed, or what else there is to say. A PNG also holds its
    caption, from where the report takes it.
    """
    kinds = [check_format(target) for target in targets]
    metadata: dict[str, dict[str, Any]] = {
        "pdf": {"Subject": said, "CreationDate": None, "Creator": None, "Producer": None},
        "png": {"Description": said, "Software": None, **({CAPTION: caption} if caption else {})},
        "svg": {"Description": said, "Date": None, "Creator": None},
    }
    with house_style(), staged(*targets) as partials:
        for kind, partial in zip(kinds, partials, strict=True):
            try:
                figure.savefig(partial, format=kind, metadata=metadata[kind])
            except (ValueError, ArithmeticError) as error:  # formulas that are none, numbers at the end of floats
                raise InputError(
                    f"{targets[0]} would have a text or number that cannot be drawn ({reason(error)}); correct it in "
                    "the table, or in the labels that it was made with."
                ) from error
