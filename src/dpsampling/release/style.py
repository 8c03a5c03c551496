"""How every figure looks, and how it is written with bytes that depend on its content alone."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any, Literal

import matplotlib as mpl
import numpy as np
from fontTools import subset
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.dates import DateFormatter, MonthLocator, YearLocator
from matplotlib.figure import Figure
from matplotlib.transforms import ScaledTranslation

from dpsampling.errors import InputError, reason
from dpsampling.files import CAPTION, staged
from dpsampling.numerics.randomness import EVALUATION

FORMATS = ("pdf", "png", "svg")
SINGLE, FULL = 84 / 25.4, 174 / 25.4  # inches; one column and the whole width of a page of two columns
SMALLEST = 7.0  # points, of any letter

Dash = Literal["-", "--", "-.", ":"]


@dataclass(frozen=True)
class CurveStyle:
    """How a curve is drawn and what a legend calls it, told apart by colour, dash and marker (Okabe-Ito colours)."""

    label: str
    colour: str
    dash: Dash
    marker: str

    def drawn(self) -> dict[str, Any]:
        """Return matplotlib's keywords, with the label."""
        return {"color": self.colour, "linestyle": self.dash, "marker": self.marker, "label": self.label}


# Okabe and Ito's colours, which most eyes tell apart, and two more.
BLACK, BLUE, VERMILION, GREEN, PURPLE = "#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, GREY, YELLOW, WINE, TEAL = "#E69F00", "#56B4E9", "#999999", "#F0E442", "#882255", "#44AA99"
# What curves without a style of their own are given, in turn: told apart by colour, dash and marker.
CYCLE: dict[str, tuple[str, Dash, str]] = {
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
# The states of a fitted model, by number: a hue each, and a lightness (CIE L*) 9 from the nearest other, so that they
# are told apart in grey too; neighbours in number are far apart.
STATES = (
    "#001738", "#FA960F", "#CB2117", "#F4E246", "#01406B", "#11A1D4", "#045F2F", "#FCB0D8", "#5A0222", "#A864BC",
)  # fmt: skip
HATCHES = ("", "////", "....", "xxxx")  # of the states beyond the tenth
EMPTY: dict[str, Any] = {"facecolor": "#f5f5f5", "edgecolor": "0.6", "linewidth": 0.4}  # what is no state
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
    "font.size": 8,
    "axes.labelsize": 8,
    "axes.titlesize": 8,
    "axes.titlelocation": "left",
    "figure.titlesize": 8.5,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "legend.title_fontsize": 7.5,
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


def styles(names: Iterable[str], own: Mapping[str, CurveStyle]) -> dict[str, CurveStyle]:
    """Return the style of each name: its own, or its name as the label and the next of the cycle that is free."""
    known = {name: own[name] for name in names if name in own}
    used = {style.colour for style in known.values()}
    free = cycle([style for style in CYCLE.values() if style[0] not in used] or list(CYCLE.values()))
    return {name: known.get(name) or CurveStyle(name.replace("-", " "), *next(free)) for name in names}


@contextmanager
def house_style() -> Iterator[None]:
    """Settings that do not depend on the machine's matplotlibrc."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_RC)  # type: ignore[arg-type]  # its stubs want literal keys
        yield


def state_look(number: int) -> dict[str, Any]:
    """The face of a state, counted from 1, as matplotlib's keywords for patches."""
    again, place = divmod(number - 1, len(STATES))
    # Hatches are white, as what is between patches, where the colour is dark.
    edge = "white" if lightness(STATES[place]) < 60.0 else "black"
    hatch = HATCHES[min(again, len(HATCHES) - 1)]
    return {"facecolor": STATES[place], "linewidth": 0.0, **({"hatch": hatch, "edgecolor": edge} if hatch else {})}


def lightness(colour: str) -> float:
    """CIE L*, what is left of a colour in grey: 0 is black, 100 white."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    luminance: float = sum(share * c for share, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    return 116.0 * luminance ** (1.0 / 3.0) - 16.0 if luminance > 0.008856 else 903.3 * luminance


def subplots(
    columns: int = 1, *, rows: int = 1, width: float = FULL, height: float = 3.0, **keywords: Any
) -> tuple[Figure, list[Axes]]:
    """A figure with its panels row by row, made without a global state or a window.

    Figures of experiments are SINGLE or FULL inches wide.
    """
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, columns, squeeze=False, **keywords)
    return figure, list(axes.ravel())


def tag(where: Axes | Figure, text: str) -> None:
    """What must not be lost when the picture is shown without its caption, as that a log is simulated.

    Framed, at the top right of a panel or figure; a title that is too long to stand beside it has to end in a line
    break, or, of a figure, to begin at the left.
    """
    style: dict[str, Any] = {"fontsize": SMALLEST, "color": "#222222", "bbox": _FRAME}
    if isinstance(where, Axes):
        where.set_title(text, loc="right", **style)
    else:
        corner = where.transFigure + ScaledTranslation(-6.0 / 72.0, -6.0 / 72.0, where.dpi_scale_trans)
        where.text(1.0, 1.0, text, ha="right", va="top", transform=corner, **style)


_FRAME = {"boxstyle": "round,pad=0.2", "facecolor": "#eeeeee", "edgecolor": "#888888", "linewidth": 0.5}


def dates(months: Iterable[str]) -> list[float]:
    """Where months (`2004-01`) begin on an axis of dates, in days of matplotlib's epoch."""
    return [_day(np.datetime64(month, "M")) for month in months]


def month_ends(months: Iterable[str]) -> list[float]:
    """Where they end: at the beginning of the next."""
    return [_day(np.datetime64(month, "M") + 1) for month in months]


def _day(month: np.datetime64) -> float:
    return float(month.astype("datetime64[D]").astype(int))


def date_axis(axes: Axes, months: Sequence[str]) -> None:
    """A horizontal axis from the first of these months to the end of the last, its years at their ticks."""
    first, last = min(months), max(months)
    axes.set_xlim(dates([first])[0], month_ends([last])[0])
    years = int(last[:4]) - int(first[:4])
    if years >= 2:
        every, quarters = (1, (1, 4, 7, 10)) if years <= 12 else (5, (1,))
        axes.xaxis.set_major_locator(YearLocator(every))  # type: ignore[no-untyped-call]
        axes.xaxis.set_minor_locator(MonthLocator(bymonth=quarters))  # type: ignore[no-untyped-call]
        form = "%Y"
    else:
        many = 12 * years + int(last[5:7]) - int(first[5:7])
        axes.xaxis.set_major_locator(MonthLocator(interval=1 + many // 6))  # type: ignore[no-untyped-call]
        form = "%b %Y"
    axes.xaxis.set_major_formatter(DateFormatter(form))  # type: ignore[no-untyped-call]


def barred(axes: Axes, x: Any, y: Any, low: Any, high: Any, style: CurveStyle, **keywords: Any) -> None:
    """A curve with a bar from `low` to `high` at each point, as quantiles; bars that are not known are left out."""
    y = np.asarray(y, dtype=float)
    below, above = y - np.asarray(low, dtype=float), np.asarray(high, dtype=float) - y
    errors = np.clip(np.nan_to_num(np.array([below, above])), 0.0, None)
    axes.errorbar(x, y, yerr=errors, capsize=2, elinewidth=0.8, **{**style.drawn(), **keywords})


def two_errors(axes: Axes, x: Any, mean: Any, sem: Any, style: CurveStyle, **keywords: Any) -> None:
    """The same with bars of two standard errors to either side."""
    mean, sem = np.asarray(mean, dtype=float), np.asarray(sem, dtype=float)
    barred(axes, x, mean, mean - 2.0 * sem, mean + 2.0 * sem, style, **keywords)


def dots(
    axes: Axes, labels: Sequence[str], values: Sequence[float], styles: Sequence[CurveStyle], texts: Sequence[str]
) -> None:
    """One named line a value from the top, with a dot and the value beside it: for logarithmic axes, where the length
    of a bar means nothing.
    """
    places = list(range(len(values)))[::-1]
    for place, value, style, text in zip(places, values, styles, texts, strict=True):
        axes.plot([value], [place], linestyle="none", marker=style.marker, color=style.colour, markersize=5)
        axes.annotate(text, (value, place), xytext=(6, 0), textcoords="offset points", va="center", fontsize=SMALLEST)
    axes.set_yticks(places, labels)
    axes.set_ylim(-0.6, len(values) - 0.4)


def scientific(number: float) -> str:
    """A small number as a formula: 10⁻⁶, 3·10⁻⁵; others as they are."""
    digits, _, exponent = f"{number:e}".partition("e")
    if -3 <= int(exponent) < 5:
        return f"${number:g}$"
    factor = "" if float(digits) == 1.0 else rf"{float(digits):g}\cdot "
    return f"${factor}10^{{{int(exponent)}}}$"


def literal(value: Any) -> Any:
    """Return what matplotlib draws as this text, or as the texts in this, where it would take dollars for formulas."""
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


@contextmanager
def _bare_fonts() -> Iterator[None]:
    """Embed glyphs without a font's tables for setting text, which no viewer of a figure reads: half of the time."""
    kept, log = subset.Options._drop_tables_default, logging.getLogger("fontTools")
    level = log.level
    log.setLevel(logging.ERROR)  # and without remarks on when a font was made
    subset.Options._drop_tables_default = [*kept, "GDEF", "GPOS", "GSUB", "kern"]
    try:
        yield
    finally:
        subset.Options._drop_tables_default = kept
        log.setLevel(level)


def _lay_out(figure: Figure) -> None:
    """Find room for everything once, as at the resolution of a PNG, and not anew for each format."""
    engine = figure.get_layout_engine()
    if engine is not None:
        figure.set_dpi(mpl.rcParams["savefig.dpi"])
        engine.execute(figure)
        engine.execute(figure)  # from where the first has put all: legends below panels find their place by this
        with mpl.rc_context({"figure.constrained_layout.use": False}):
            figure.set_layout_engine(None)  # "none" would have every format drawn twice


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
    with house_style(), _bare_fonts(), staged(*targets) as partials:
        for kind, partial in zip(kinds, partials, strict=True):
            try:
                _lay_out(figure)
                figure.savefig(partial, format=kind, metadata=metadata[kind])
            except (ValueError, ArithmeticError) as error:  # formulas that are none, numbers at the end of floats
                raise InputError(
                    f"{targets[0]} would have a text or number that cannot be drawn ({reason(error)}); correct it in "
                    "the table, or in the labels that it was made with."
                ) from error
