"""Accuracy of naive Bayes against ε, by what the noise is on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from dpsampling.release.style import BLACK, BLUE, GREEN, GREY, VERMILION, CurveStyle, scientific
from reproduction.experiments.learners import naive_bayes as said
from reproduction.experiments.learners.accuracy_panels import draw

LINES = {said.PLAIN: CurveStyle("without noise", BLACK, ":", "")}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """A panel for each data set. Bars are two standard errors."""
    level = f"(ε, {scientific(params['delta'])}), add or remove one"
    curves = {
        said.GAUSSIAN: CurveStyle(f"Gaussian noise on counts: {level}", GREEN, "-.", "D"),
        said.WHOLE: CurveStyle("noise (m + 1)/ε on every count: ε, add or remove one", BLUE, "-", "o"),
        said.EACH: CurveStyle("noise 1/ε on every count: in truth (m + 1)ε", GREY, "--", "s"),
        said.PRINTED: CurveStyle("noise 1/ε on P(x | y): in truth 2mε and more, replace one", VERMILION, "--", "^"),
    }
    return draw(table[table["view"] == said.ACCURACY], curves, LINES)
