"""Accuracy of random trees and of boosted bins against ε."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from dpsampling.release.style import BLUE, GREEN, VERMILION, CurveStyle, scientific
from reproduction.experiments.learners import trees as said
from reproduction.experiments.learners.accuracy_panels import draw
from reproduction.experiments.learners.trees.published import ERRORS

LINES = {
    said.PLAIN_BOOSTED: CurveStyle("boosted bins without noise", GREEN, ":", ""),
    said.PLAIN_SHARES: CurveStyle("random trees without noise, mean of shares", BLUE, "--", ""),
}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """A panel for each data set, with the published errors on Adult as rings. Bars are two standard errors."""
    curves = {
        said.BOOSTED: CurveStyle(
            f"boosted bins: (ε, {scientific(params['delta'])}), add or remove one", GREEN, "-.", "D"
        ),
        said.SHARES: CurveStyle("random trees, mean of shares: ε, add or remove one", BLUE, "-", "o"),
        said.SUMS: CurveStyle("random trees, summed counts as printed: ε, add or remove one", VERMILION, "--", "^"),
    }
    rings = {said.ADULT: {epsilon: 1.0 - error for epsilon, error in ERRORS.items()}}
    return draw(table[table["view"] == said.ACCURACY], curves, LINES, rings)
