r"""The published points of Figures 5.1–5.6, digitised from the vector figures of the NIPS 2017 paper.

data/published/beta_bernoulli_figures.csv has columns panel, curve, x, y as digitised; x is λ in Figures 5.1–5.2 and
ln ε in the others. Reading it takes four decisions, all made here:

- x is rounded to the grid the curves were drawn on (.01 in λ, .1 in ln ε), off by up to 5e-4 in the digitisation;
- points on the upper edge of the axes (y = .6 in Figures 5.3–5.4, y = 70 in 5.5–5.6) are where a curve leaves them;
- the last point of a curve, which stands twice, is taken once;
- in Figures 5.5–5.6 the markers were moved sideways so as not to hide each other: by −.2, 0, +.2 and +.4.

An experiment names its panel by the parameter `panel`; one that names none has no published points.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from dpsampling.files import read_table
from dpsampling.files.documents import published
from reproduction.experiments.renyi.checks import BETA

FILE = "beta_bernoulli_figures.csv"
# Half a unit of the fourth decimal, and the line's own width in the vector figure.
LEVEL_TOLERANCE = 2e-4
KL_TOLERANCE = 1e-4


@dataclass(frozen=True)
class Panel:
    """What a digitised panel was drawn with, and how far its axes reach."""

    drawn_with: Mapping[str, Any]
    grid: int  # decimals of x
    top: float | None = None
    shifts: Mapping[str, float] | None = None


_BETA = {"prior": [6, 18], "n": 100}
_DRAWS = {**_BETA, "family": BETA}
_JITTER = {"Alg2": -0.2, "Alg3": 0.0, "Gauss": 0.2, "True": 0.4}
_CURVES = {"Alg2": "diffused", "Alg3": "concentrated", "Gauss": "gaussian", "True": "direct"}
PANELS = {
    "fig1a": Panel({**_BETA, "algorithm": "diffused"}, grid=2),
    "fig1b": Panel({**_BETA, "algorithm": "concentrated"}, grid=2),
    "fig2a": Panel({**_DRAWS, "order": 2, "successes": 32}, grid=1, top=0.6),
    "fig2b": Panel({**_DRAWS, "order": 15, "successes": 32}, grid=1, top=0.6),
    "fig2c": Panel({**_DRAWS, "order": 2, "rho": 0.5}, grid=1, top=70.0, shifts=_JITTER),
    "fig2d": Panel({**_DRAWS, "order": 15, "rho": 0.5}, grid=1, top=70.0, shifts=_JITTER),
}


def points(params: Mapping[str, Any]) -> pd.DataFrame:
    """The points as (curve, x, y): `curve` is a scale in Figures 5.1–5.2, else a mechanism; x is λ or ln ε.

    There are none for a figure that was not digitised, or for parameters that it was not drawn with.
    """
    if why_not(params):
        return pd.DataFrame({"curve": [], "x": [], "y": []})
    panel = PANELS[params["panel"]]
    raw = read_table(published(FILE))
    raw = raw[raw["panel"] == params["panel"]]
    shift = raw["curve"].map(panel.shifts) if panel.shifts else 0.0
    read = pd.DataFrame({"curve": raw["curve"].map(_curve), "x": (raw["x"] - shift).round(panel.grid), "y": raw["y"]})
    if panel.top is not None:
        read = read[read["y"] < panel.top]
    return read.drop_duplicates(ignore_index=True)


def why_not(params: Mapping[str, Any]) -> str:
    """Say why published points say nothing of these parameters; empty if they do."""
    name = params.get("panel")
    if name is None:
        return "no points of this figure were digitised"
    differences = [
        f"with {key} = {value}, this run with {params.get(key, 'none')}"
        for key, value in PANELS[name].drawn_with.items()
        if params.get(key) != value
    ]
    return f"the published figure was drawn {'; '.join(differences)}" if differences else ""


def _curve(name: str) -> str:
    if name == "direct":
        return "1.0"
    return _CURVES.get(name) or str(float(name[1:]))
