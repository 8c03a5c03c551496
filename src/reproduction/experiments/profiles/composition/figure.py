"""Figure 7.1: the four cases as diagrams, and under each the rule's ε and the exact one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release.style import BLUE, SMALLEST, VERMILION, house_style, subplots
from reproduction.experiments.profiles.composition import DEPENDENT, OBSERVATIONS, SAME, SELECTIONS

LAYERS = ("profile", "observation", "mechanism", "output")
LEFT, MIDDLE, RIGHT = 0.2, 0.5, 0.8
# Of each case: where its profiles and its observations stand, with their names; mechanisms and outputs are always two.
DIAGRAMS = {
    OBSERVATIONS: ({MIDDLE: "$P_i$"}, {LEFT: "$X_1$", RIGHT: "$X_2$"}),
    SELECTIONS: ({LEFT: "$P_i$", RIGHT: "$P_j$"}, {LEFT: "$X_1$", RIGHT: "$X_2$"}),
    SAME: ({MIDDLE: "$P_i$"}, {MIDDLE: "$X$"}),
    DEPENDENT: ({LEFT: "$P_i$", RIGHT: "$P_j$"}, {LEFT: "$X_1$", RIGHT: "$X_2$"}),
}
RULES = {OBSERVATIONS: "sum", SELECTIONS: "largest", SAME: "none (the sum)", DEPENDENT: "none (the largest)"}
ARROW: dict[str, Any] = {"arrowstyle": "-|>", "color": "0.2", "linewidth": 0.9, "shrinkA": 9, "shrinkB": 9}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """A column a case; an ε without bound is a word."""
    numbers = table.set_index("case")[["claimed_epsilon", "exact_epsilon"]]
    finite = numbers.to_numpy()[np.isfinite(numbers.to_numpy())]
    top = 1.35 * float(finite.max())
    with house_style():
        figure, axes = subplots(len(DIAGRAMS), rows=2, height=4.3, height_ratios=[5, 4], sharey="row")
        upper, lower = axes[: len(DIAGRAMS)], axes[len(DIAGRAMS) :]
        for letter, case, diagram, panel in zip("abcd", DIAGRAMS, upper, lower, strict=True):
            _diagram(diagram, case)
            head, _, noun = case.rpartition(" ")
            diagram.set_title(f"({letter}) {head}\n{noun}")
            claimed, exact = (float(numbers[name][case]) for name in numbers)
            _numbers(panel, claimed, exact, top)
            panel.set_xlabel(f"rule: {RULES[case]}")
        lower[0].set_ylabel(r"$\varepsilon$ of both releases")
        p = ", ".join(f"{value:g}" for value in params["bernoulli"])
        release = rf"the first two joined by an edge; $\varepsilon={params['epsilon']:g}$ a release"
        figure.supxlabel(rf"numbers: Bernoulli profiles $p=({p})$, {release}", fontsize=8)
        return figure


def _diagram(axes: Axes, case: str) -> None:
    """From the profiles down to the two outputs."""
    profiles, observations = DIAGRAMS[case]
    heights = dict(zip(LAYERS, range(len(LAYERS))[::-1], strict=True))
    rows = (profiles, observations, {LEFT: "$A_1$", RIGHT: "$A_2$"}, {LEFT: "$Y_1$", RIGHT: "$Y_2$"})
    for stage, row in zip(LAYERS, rows, strict=True):
        shape = "square" if stage == "mechanism" else "circle"
        for x, name in row.items():
            box = {"boxstyle": f"{shape},pad=0.25", "facecolor": "white", "edgecolor": "0.2", "linewidth": 0.8}
            axes.text(x, heights[stage], name, ha="center", va="center", bbox=box, zorder=3)
    for (above, upper), (below, lower) in zip(
        zip(LAYERS[:-1], rows[:-1], strict=True), zip(LAYERS[1:], rows[1:], strict=True), strict=True
    ):
        for start, end in [(s, e) for s in upper for e in lower if s == e or MIDDLE in (s, e)]:
            axes.annotate("", (end, heights[below]), (start, heights[above]), arrowprops=ARROW)
    if case == DEPENDENT:
        follows = ARROW | {"linestyle": "--", "color": VERMILION}
        axes.annotate("", (RIGHT, heights["profile"]), (LEFT, heights["profile"]), arrowprops=follows)
        axes.text(MIDDLE, heights["profile"] + 0.22, "selects", ha="center", fontsize=SMALLEST, color=VERMILION)
    axes.set(xlim=(0.0, 1.0), ylim=(-0.45, len(LAYERS) - 0.5))
    axes.set_xticks([])
    axes.set_yticks(list(heights.values()), list(heights))
    axes.tick_params(length=0)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)


def _numbers(axes: Axes, claimed: float, exact: float, top: float) -> None:
    """Two points with their values; what has no bound is said above the axis."""
    for x, value, colour, marker in ((0, claimed, BLUE, "o"), (1, exact, VERMILION, "D")):
        if np.isinf(value):
            axes.text(x, 0.86 * top, "∞", ha="center", va="center", fontsize=14, color=colour)
            continue
        axes.plot([x], [value], marker=marker, color=colour, markersize=6)
        axes.annotate(f"{value:.3g}", (x, value), (0, 6), textcoords="offset points", ha="center")
    axes.set_xticks([0, 1], ["by the rule", "exact"])
    axes.set(xlim=(-0.6, 1.6), ylim=(0.0, top))
