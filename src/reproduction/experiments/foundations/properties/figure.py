"""How often each statement fails on small finite mechanisms, and by how much at worst."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from dpsampling.release.style import BLUE, SMALLEST, VERMILION, house_style, subplots
from reproduction.experiments.foundations import properties as said

SHOWN = {
    (said.SUPPORT, said.EVERY): "Def. 2.18: events in the support suffice",
    (said.IFF, said.EVERY): r"$(\varepsilon,\delta)$-private iff divergences $\leq d\varepsilon$",
    (said.LOGS, said.ABOVE_DELTA): r"the same with logarithms, events above $\delta$",
    (said.PURE, said.EVERY): r"Def. 2.16: $\varepsilon$ at distance 1 gives $d\varepsilon$",
    (said.ONE_DELTA, said.USUAL): r"Def. 2.15: $\delta$ at distance 1 gives $\delta$",
    (said.ONE_DELTA, said.GROUP): r"ours: it gives $\delta(e^{d\varepsilon}-1)/(e^\varepsilon-1)$",
    (said.LEMMA_24, said.NO_DELTA): r"Lemma 2.24, $\delta=0$: joint $=$ sum",
    (said.LEMMA_24, said.JOINT_ABOVE): r"Lemma 2.24, $\delta>0$: joint $\leq$ sum",
    (said.LEMMA_24, said.JOINT_BELOW): r"Lemma 2.24, $\delta>0$: joint $\geq$ sum",
    (said.LEMMA_24, said.UPPER): r"ours: joint at $1-(1-\delta_1)(1-\delta_2)$ $\leq$ sum",
    (said.LEMMA_24, said.LOWER): r"ours: joint at $\delta_1\delta_2$ $\geq$ sum",
    (said.LEMMA_25, said.EVERY): r"Lemma 2.25: falls in $\delta$",
    (said.BEFORE, said.FAR): "Prop. 2.26: a Lipschitz map before",
    (said.BEFORE, said.USUAL): "Prop. 2.26 for the usual definition",
    (said.AFTER, said.MAPS): "Prop. 2.27: any map after",
    (said.SEQUENTIAL, said.INDEPENDENT): "Prop. 2.28: one after another",
    (said.SEQUENTIAL, said.ADAPTIVE): "Prop. 2.28, adaptively",
    (said.PARALLEL, said.NEAR): "Prop. 2.32: side by side, distance 1",
    (said.PARALLEL, said.FAR): "Prop. 2.32: side by side, every distance",
    (said.PARALLEL, said.FAR_SOME): r"ours: with $\delta$ of $1-\Pi(1-\delta_h)$",
    (said.PARALLEL_PURE, said.FAR): r"Cor. 2.33: side by side, $\delta=0$",
}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """A line each: a bar to the share of cases that fail, and the cases in words."""
    del params  # all of it is in the table
    rows = {(row["statement"], row["case"]): row for row in table.to_dict("records")}
    shown = [(label, rows[key]) for key, label in SHOWN.items() if key in rows]
    heights = np.arange(len(shown))[::-1]
    with house_style():
        figure, (axes,) = subplots(height=4.8)
        for height, (_, row) in zip(heights, shown, strict=True):
            cases, violations = int(row["cases"]), int(row["violations"])
            share = violations / cases
            if violations:
                axes.plot([0.0, share], [height, height], color=VERMILION, linewidth=3.0, solid_capstyle="butt")
                axes.plot(share, height, "X", color=VERMILION, markersize=6)
                worst = f"{row['left']:.3g} > {row['right']:.3g}".replace("inf", "∞")
                words = f"{violations} of {cases} fail; worst {worst}"
                axes.text(share + 0.02, height, words, va="center", fontsize=SMALLEST, color=VERMILION)
            else:
                axes.text(0.01, height, f"holds in all {cases}", va="center", fontsize=SMALLEST, color=BLUE)
        axes.set_yticks(heights, [label for label, _ in shown])
        axes.grid(visible=False, axis="y")
        axes.set(xlim=(0.0, 1.0), ylim=(-0.8, len(shown) - 0.2))
        axes.set_xlabel(r"share of the cases that fail (worst: both sides as $e^D$, or as $\delta$)")
        return figure
