"""Figures 5.3 and 5.4: KL(P‖A) against ln ε, with the published points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dpsampling.release.style import PUBLISHED, house_style, styles, subplots
from reproduction.experiments.renyi import published, text
from reproduction.experiments.renyi.checks import BETA
from reproduction.experiments.renyi.styles import MECHANISMS

RINGS = {**PUBLISHED, "markersize": 3.0}
UNDISTORTED = "direct"  # its KL is 0, which no line needs to show


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Left as the published figure; where the text's data differ from it, right as the text says."""
    points = published.points(params)
    successes = {"figure": params["successes"], "text": round(text.SUCCESSES)}
    variants = [v for v in ("figure", "text") if v in set(table["variant"])]
    shown = styles([m for m in dict.fromkeys(table["mechanism"]) if m != UNDISTORTED], MECHANISMS)
    with house_style():
        figure, panels = subplots(len(variants), height=3.4, sharey=True, sharex=True)
        for axes, letter, variant in zip(panels, ("(a)", "(b)"), variants, strict=False):
            for mechanism, style in shown.items():
                rows = table[(table["variant"] == variant) & (table["mechanism"] == mechanism)].sort_values(
                    "epsilon", kind="stable"
                )
                lone = style.marker if len(rows) == 1 else ""
                axes.plot(np.log(rows["epsilon"]), rows["kl"], style.dash, color=style.colour, marker=lone)
                if variant == "figure":
                    mine = points[points["curve"] == mechanism]
                    axes.plot(mine["x"], mine["y"], color=style.colour, **{**RINGS, "marker": style.marker})
            reading = {"text": "as the text says", "figure": "as published" if len(points) else "as configured"}[
                variant
            ]
            data = f"{successes[variant]} of {params['n']} successes"
            if params["family"] != BETA:
                data = rf"$\sum S={successes[variant]}$, $n={params['n']}$"
            axes.set_title(f"{letter} {data}, {reading}")
            axes.set_xlabel(rf"$\ln\,\varepsilon$ at order $\lambda={params['order']:g}$ ($\varepsilon$ in nats)")
        panels[0].set_ylabel(r"KL$(P\,\|\,\mathcal{A})$ in nats")
        panels[0].set_ylim(0.0, _top(table) if not len(points) else 0.6)
        published_too = set(points["curve"])
        handles = [
            Line2D([], [], color=k.colour, linestyle=k.dash, label=k.label)
            if name not in published_too
            else Line2D([], [], color=k.colour, linestyle=k.dash, label=k.label, marker=k.marker, mfc="none")
            for name, k in shown.items()
        ]
        if len(points):
            handles.append(Line2D([], [], color="0.35", label="markers: as published", **PUBLISHED))
        prior = ", ".join(f"{value:g}" for value in params["prior"])
        figure.legend(handles=handles, loc="outside lower center", ncols=2, title=rf"$\eta_0=({prior})$")
        return figure


def _top(table: pd.DataFrame) -> float:
    """High enough for Algorithm 2, whose KL is bounded; the other curves may leave the axes."""
    bounded = table.loc[table["mechanism"] == "diffused", "kl"].max()
    return float(bounded) * 1.25 if bounded > 0 else 1.0
