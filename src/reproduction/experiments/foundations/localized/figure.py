"""Where the claim fails and by how much; that more noise does not mend it; what tells the worst pair apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from dpsampling.release.style import BLACK, BLUE, SEQUENCE, SMALLEST, VERMILION, WINE, house_style, scientific, subplots
from reproduction.experiments.foundations import localized as said
from reproduction.experiments.foundations.rows import where

CURVES = (
    (said.LOCALIZED, said.WORST, WINE, ":", "v"),
    (said.LOCALIZED, said.EXAMPLE, VERMILION, "--", "^"),
    (said.ORDINARY, said.EXAMPLE, BLACK, "-", "s"),
    (said.SMOOTH, said.EXAMPLE, BLUE, "-", "o"),
)
LABELS = {
    said.LOCALIZED: "fitted by κ(x)",
    said.SMOOTH: "fitted by smooth sensitivity",
    said.ORDINARY: "ordinary, global κ",
}
MAPS = {
    said.NEIGHBOURS: "(a) neighbours, factor $e^{\\varepsilon}$",
    said.OWN: "(b) any distance $d$, factor $e^{d\\varepsilon}$",
}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Above the map of the failure in both conventions, below why."""
    with house_style():
        figure, axes = subplots(2, rows=2, height=6.2)
        _maps(figure, axes[:2], table)
        _kept(axes[2], table, params["epsilon"])
        _densities(axes[3], table)
        figure.suptitle("Gaussian noise fitted by κ(x) on Example 2.11: its claim, and what it keeps", fontsize=8)
        handles, labels = axes[2].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3, title="panel (c)")
        return figure


def _maps(figure: Figure, panels: list[Axes], table: pd.DataFrame) -> None:
    """Coloured where the claim fails, the darker the worse; white where it holds."""
    worst = where(table, view=said.MAP, mechanism=said.LOCALIZED, function=said.EXAMPLE)
    wide = {
        convention: where(worst, convention=convention).pivot_table("ratio", index="delta_claimed", columns="epsilon")
        for convention in MAPS
    }
    shades = colormaps[f"{SEQUENCE}_r"].with_extremes(under="white")
    scale = LogNorm(1.0, max(10.0, *(float(ratios.to_numpy().max()) for ratios in wide.values())))
    for axes, (convention, ratios) in zip(panels, wide.items(), strict=True):
        cells = (_edges(ratios.columns), _edges(ratios.index), ratios.to_numpy())
        mesh = axes.pcolormesh(*cells, cmap=shades, norm=scale, rasterized=True)
        axes.set(xscale="log", yscale="log", xlabel=r"claimed $\varepsilon$", title=MAPS[convention])
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.grid(visible=False)
        if (ratios.to_numpy() <= 1.0).any():
            levels, deltas = np.nonzero(ratios.to_numpy().T <= 1.0)
            middle = np.exp(np.log(np.asarray(ratios.columns, dtype=float)[levels]).mean())
            axes.text(middle, ratios.index[deltas].max(), "claim holds", ha="center", va="center", fontsize=SMALLEST)
    panels[0].set_ylabel(r"claimed $\delta$")
    figure.colorbar(mesh, ax=panels, label="true $\\delta$ / claimed $\\delta$, worst pair")


def _edges(centres: Any) -> np.ndarray[Any, Any]:
    """Of cells about these values, even in the logarithm."""
    logs = np.log(np.asarray(centres, dtype=float))
    between = (logs[1:] + logs[:-1]) / 2.0
    first, last = (between[0], between[-1]) if len(between) else (logs[0] - 0.5, logs[0] + 0.5)
    ends = (2.0 * logs[0] - first, 2.0 * logs[-1] - last) if len(between) else (first, last)
    return np.exp(np.concatenate([ends[:1], between, ends[1:]]))


def _kept(axes: Axes, table: pd.DataFrame, epsilon: float) -> None:
    """True against claimed at the level nearest to that of the example."""
    rows = where(table, view=said.MAP, convention=said.NEIGHBOURS)
    levels = np.unique(rows["epsilon"].to_numpy(dtype=float))
    near = float(levels[np.argmin(np.abs(np.log(levels / epsilon)))])
    claimed = np.unique(rows["delta_claimed"].to_numpy(dtype=float))
    axes.fill_between(claimed, claimed, 5.0, color="0.9", linewidth=0, zorder=0, label="promise broken")
    for mechanism, function, colour, dash, marker in CURVES:
        curve = where(rows, by="delta_claimed", mechanism=mechanism, function=function, epsilon=near)
        look = {"color": colour, "linestyle": dash, "marker": marker}
        axes.loglog(curve["delta_claimed"], curve["delta_true"], **look, label=f"{LABELS[mechanism]}, $f$ = {function}")
    axes.set(
        xlabel=r"claimed $\delta$",
        ylabel=r"true $\delta$ of the worst neighbours",
        ylim=(claimed[0] / 1e3, 5.0),
        title=f"(c) noise of three kinds, $\\varepsilon$ = {near:.2g}",
    )


def _densities(axes: Axes, table: pd.DataFrame) -> None:
    """The two Gaussians, and where one is more than e^ε times the other."""
    rows = where(table, view=said.PAIRS, convention=said.NEIGHBOURS, function=said.EXAMPLE)
    row = rows.nlargest(1, "delta_true").iloc[0]
    widest = max(row["first_sigma"], row["second_sigma"])
    y = np.linspace(-3.2 * widest, 3.2 * widest, 1201)
    first, second = (
        np.exp(-0.5 * ((y - row[f"{which}_centre"]) / row[f"{which}_sigma"]) ** 2)
        / (row[f"{which}_sigma"] * np.sqrt(2.0 * np.pi))
        for which in ("first", "second")
    )
    x, other = row["pair"].split(" → ")
    axes.plot(y, first, color=VERMILION, linestyle="--", label=f"$x$ = {x}, $\\sigma$ = {row['first_sigma']:.3g}")
    axes.plot(y, second, color=BLUE, label=f"$x$ = {other}, $\\sigma$ = {row['second_sigma']:.3g}")
    above = np.exp(row["epsilon"]) * second
    axes.plot(y, above, color=BLUE, linewidth=0.8, linestyle=":", label=rf"$e^\varepsilon$ times that of {other}")
    area = rf"area: true $\delta$ = {row['delta_true']:.3f}"
    axes.fill_between(y, above, first, where=first > above, color=VERMILION, alpha=0.35, linewidth=0, label=area)
    claim = rf"$\varepsilon$ = {row['epsilon']:g}, $\delta$ = {scientific(row['delta_claimed'])}"
    axes.set(
        xlabel="released number",
        ylabel="density",
        ylim=(0.0, 2.6 * max(float(first.max()), float(second.max()))),
        title=f"(d) worst neighbours, {claim}",
    )
    axes.legend(loc="upper right", fontsize=SMALLEST)
