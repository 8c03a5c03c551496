"""How the mechanisms of event logs look and what they are called, the same in every figure."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable

import pandas as pd
from matplotlib.axes import Axes

from dpsampling.event_logs import names
from dpsampling.release.style import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION, CurveStyle, tag
from reproduction.experiments.warlogs.text import origin, title

NON_PRIVATE = CurveStyle("non-private", BLACK, "-", "")
LAPLACE = {
    names.CLIP: CurveStyle("Laplace, clipped", BLUE, "-", "o"),
    names.SUM_THEN_CLIP: CurveStyle("Laplace, summed then clipped", SKY, "--", "s"),
    names.NOISE_AWARE: CurveStyle("Laplace, noise-aware", GREEN, "-.", "D"),
}
OPS = (
    CurveStyle("OPS", VERMILION, "--", "^"),
    CurveStyle("OPS", PURPLE, "-.", "v"),
    CurveStyle("OPS", ORANGE, ":", "<"),
)
# Where the variants of a mechanism are not told apart.
MECHANISMS = {
    names.LAPLACE: CurveStyle("Laplace", LAPLACE[names.CLIP].colour, "-", "o"),
    names.OPS: OPS[0],
    names.PRIVATE_GIBBS: CurveStyle("private Gibbs", GREEN, "-.", "D"),
}
# Conditionals of the appendix.
PRINTED, CORRECTED = CurveStyle("as printed", VERMILION, "--", "^"), CurveStyle("as corrected", BLUE, "-", "o")


def private(rows: pd.DataFrame) -> list[tuple[CurveStyle, pd.DataFrame]]:
    """Return the rows of each private mechanism and variant, by ε, with their style."""
    ops = list(dict.fromkeys(rows.loc[rows["mechanism"] == names.OPS, "variant"]))
    drawn = []
    for (mechanism, variant), group in rows.groupby(["mechanism", "variant"], sort=False):
        if mechanism == names.NON_PRIVATE:
            continue
        if mechanism == names.LAPLACE:
            style = LAPLACE[str(variant)]
        else:
            style = OPS[ops.index(variant) % len(OPS)]
            style = CurveStyle(f"{style.label}, ${variant}$", style.colour, style.dash, style.marker)
        drawn.append((style, group.sort_values("epsilon", kind="stable")))
    return drawn


def tagged(axes: Axes, table: pd.DataFrame, log: str) -> None:
    """Put a log's name above its panel, and into the picture itself whether the log is a real one."""
    axes.set_title(title(table, log))
    tag(axes, textwrap.fill(origin(table, log), 28))


def epsilon_axis(axes: Axes, epsilons: Iterable[float]) -> None:
    """A logarithmic axis around the finite ε, with their own ticks where they are few."""
    shown = sorted({e for e in epsilons if math.isfinite(e)})
    axes.set_xscale("log")
    axes.set_xlim(shown[0] / 1.25, shown[-1] * 1.25)
    if len(shown) <= 4:
        axes.set_xticks(shown, [f"{e:g}" for e in shown])
        axes.set_xticks([], minor=True)
