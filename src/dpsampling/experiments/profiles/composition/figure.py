"""Figure 7.1 as bars: the rule's ε and the exact one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from dpsampling.style import BLUE, VERMILION, house_style, subplots


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """A pair of bars a case; an unbounded ε is a bar to the edge."""
    claimed, exact = (table[name].to_numpy(dtype=float) for name in ("claimed_epsilon", "exact_epsilon"))
    finite = np.concatenate([claimed, exact[np.isfinite(exact)]])
    top = 1.2 * float(finite.max())
    with house_style():
        figure, (axes,) = subplots(width=6.4, height=3.0)
        places = np.arange(len(table))[::-1]
        rule = axes.barh(places + 0.19, claimed, color=BLUE, height=0.36, label="by the rule")
        real = axes.barh(
            places - 0.19, np.minimum(exact, top), color=VERMILION, height=0.36, label="exact, by enumeration"
        )
        axes.bar_label(rule, [f"{value:.3g}" for value in claimed], padding=3, fontsize=7)
        labels = ["no bound" if np.isinf(value) else f"{value:.3g}" for value in exact]
        axes.bar_label(real, labels, padding=3, fontsize=7)
        axes.set_yticks(places, [str(case) for case in table["case"]])
        axes.set_xlim(0.0, 1.15 * top)
        axes.set_xlabel(r"$\varepsilon$ of two releases together")
        p = ", ".join(f"{value:g}" for value in params["bernoulli"])
        axes.set_title(rf"Bernoulli profiles $p=({p})$, 1–2 joined, $\varepsilon={params['epsilon']:g}$ a release")
        axes.grid(visible=False, axis="y")
        figure.legend(loc="outside lower center", ncols=2)
        return figure
