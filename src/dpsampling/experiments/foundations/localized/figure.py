"""Where the claim fails and by how much; that more noise does not mend it; what tells the worst pair apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.experiments.foundations import localized as said
from dpsampling.style import BLACK, BLUE, SEQUENCE, VERMILION, WINE, house_style, subplots

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


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Example 2.11 under the usual definition."""
    with house_style():
        figure, (left, middle, right) = subplots(3, width=9.6, height=4.1)
        _map(figure, left, table)
        _kept(middle, table, params["epsilon"])
        _densities(right, table)
        handles, labels = middle.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=3, title="panel (b)", title_fontsize=7.5)
        return figure


def _map(figure: Figure, axes: Axes, table: pd.DataFrame) -> None:
    rows = _worst(table, said.LOCALIZED, said.EXAMPLE)
    wide = rows.pivot_table(index="delta_claimed", columns="epsilon", values="ratio")
    logs = np.log10(wide.to_numpy().clip(min=0.1))
    mesh = axes.pcolormesh(_edges(wide.columns), _edges(wide.index), logs, cmap=SEQUENCE, rasterized=True)
    holds = rows[rows["ratio"] <= 1.0]
    axes.plot(holds["epsilon"], holds["delta_claimed"], "o", color="white", markersize=3.5)
    axes.set(
        xscale="log",
        yscale="log",
        xlabel=r"$\varepsilon$",
        ylabel=r"claimed $\delta$",
        title="(a) Example 2.11, fitted by κ(x)\n(circles: the claim holds)",
    )
    axes.grid(visible=False)
    figure.colorbar(mesh, ax=axes, label=r"$\log_{10}$ (true $\delta$ / claimed $\delta$)")


def _edges(centres: Any) -> np.ndarray[Any, Any]:
    """Of cells about these values, even in the logarithm."""
    logs = np.log(np.asarray(centres, dtype=float))
    between = (logs[1:] + logs[:-1]) / 2.0
    first, last = (between[0], between[-1]) if len(between) else (logs[0] - 0.5, logs[0] + 0.5)
    ends = (2.0 * logs[0] - first, 2.0 * logs[-1] - last) if len(between) else (first, last)
    return np.exp(np.concatenate([ends[:1], between, ends[1:]]))


def _kept(axes: Axes, table: pd.DataFrame, epsilon: float) -> None:
    """True against claimed at the level nearest to that of the example."""
    rows = table[table["view"] == said.MAP]
    levels = np.unique(rows["epsilon"].to_numpy(dtype=float))
    near = float(levels[np.argmin(np.abs(np.log(levels / epsilon)))])
    claimed = np.unique(rows["delta_claimed"].to_numpy(dtype=float))
    axes.fill_between(claimed, claimed, 5.0, color="0.9", linewidth=0, zorder=0, label="promise broken")
    for mechanism, function, colour, dash, marker in CURVES:
        curve = _worst(table, mechanism, function)
        curve = curve[curve["epsilon"] == near].sort_values("delta_claimed")
        label = f"{LABELS[mechanism]} (f = {function})"
        axes.loglog(
            curve["delta_claimed"], curve["delta_true"], color=colour, linestyle=dash, marker=marker, label=label
        )
    axes.set(
        xlabel=r"claimed $\delta$",
        ylabel=r"true $\delta$ of the worst neighbours",
        ylim=(claimed[0] / 1e3, 5.0),
        title=f"(b) true against claimed\n$\\varepsilon$ = {near:.2g}",
    )


def _densities(axes: Axes, table: pd.DataFrame) -> None:
    """The two Gaussians, and where one is more than e^ε times the other."""
    rows = table[(table["view"] == said.PAIRS) & (table["convention"] == said.NEIGHBOURS)]
    row = rows[rows["function"] == said.EXAMPLE].nlargest(1, "delta_true").iloc[0]
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
    told = rf"area: true $\delta$ = {row['delta_true']:.3f}"
    axes.fill_between(y, above, first, where=first > above, color=VERMILION, alpha=0.35, linewidth=0, label=told)
    axes.set(
        xlabel="released number",
        ylabel="density",
        ylim=(0.0, 2.6 * max(float(first.max()), float(second.max()))),
        title=f"(c) worst neighbours of Example 2.11\n$\\varepsilon$ = {row['epsilon']:g}, "
        f"claimed $\\delta$ = {row['delta_claimed']:g}",
    )
    axes.legend(loc="upper right", fontsize=7.0)


def _worst(table: pd.DataFrame, mechanism: str, function: str) -> pd.DataFrame:
    return table[
        (table["view"] == said.MAP)
        & (table["mechanism"] == mechanism)
        & (table["function"] == function)
        & (table["convention"] == said.NEIGHBOURS)
    ]
