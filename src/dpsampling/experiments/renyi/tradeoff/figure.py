"""Figures 5.3 and 5.4: KL(P‖A) against ln ε, with the published points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dpsampling.experiments.renyi import published, text
from dpsampling.experiments.renyi.checks import BETA
from dpsampling.style import PUBLISHED, house_style, lines, subplots

UNDISTORTED = "direct"  # its KL is 0, which no line needs to show


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Left as the published figure; where the text's data differ from it, right as the text says."""
    points = published.points(params)
    successes = {"figure": params["successes"], "text": round(text.SUCCESSES)}
    variants = [v for v in ("figure", "text") if v in set(table["variant"])]
    shown = lines([m for m in dict.fromkeys(table["mechanism"]) if m != UNDISTORTED], table.attrs.get("looks", {}))
    with house_style():
        figure, panels = subplots(len(variants), height=3.9, sharey=True, sharex=True)
        for axes, variant in zip(panels, variants, strict=True):
            for mechanism, look in shown.items():
                rows = table[(table["variant"] == variant) & (table["mechanism"] == mechanism)].sort_values("epsilon")
                lone = look.marker if len(rows) == 1 else ""
                axes.plot(np.log(rows["epsilon"]), rows["kl"], look.dash, color=look.colour, marker=lone)
                if variant == "figure":
                    mine = points[points["curve"] == mechanism]
                    axes.plot(mine["x"].iloc[::3], mine["y"].iloc[::3], color=look.colour, markersize=3.5, **PUBLISHED)
            reading = {"text": "as the text says", "figure": "as published" if len(points) else "as configured"}[
                variant
            ]
            data = f"{successes[variant]} of {params['n']} successes"
            if params["family"] != BETA:
                data = rf"$\sum S={successes[variant]}$, $n={params['n']}$"
            axes.set_title(f"{data}, {reading}")
            axes.set_xlabel(r"$\ln\,\varepsilon$")
        figure.suptitle(
            rf"$\lambda={params['order']:g}$, $\eta_0=({', '.join(f'{v:g}' for v in params['prior'])})$", fontsize=9
        )
        panels[0].set_ylabel(r"KL$(P\,\|\,\mathcal{A})$ in nats")
        panels[0].set_ylim(0.0, _top(table) if not len(points) else 0.6)
        handles = [Line2D([], [], color=k.colour, linestyle=k.dash, label=k.label) for k in shown.values()]
        if len(points):
            handles.append(Line2D([], [], color="0.35", markersize=3.5, label="published", **PUBLISHED))
        figure.legend(handles=handles, loc="outside lower center", ncols=2)
        return figure


def _top(table: pd.DataFrame) -> float:
    """High enough for Algorithm 2, whose KL is bounded; the other curves may leave the axes."""
    bounded = table.loc[table["mechanism"] == "diffused", "kl"].max()
    return float(bounded) * 1.25 if bounded > 0 else 1.0
