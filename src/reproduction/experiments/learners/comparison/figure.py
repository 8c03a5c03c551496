"""What to use at an ε: test errors as the review has the learners, and in modern forms, under one scale."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release import style
from dpsampling.release.style import CurveStyle
from reproduction.experiments.learners import comparison as said
from reproduction.experiments.learners.spread import spread
from reproduction.experiments.learners.trees.published import ERRORS
from reproduction.experiments.panels import curve, ticks

# A learner of both panels has one colour and one marker.
STYLES = {
    said.COUNTS: CurveStyle("naive Bayes, counts (A)", style.BLUE, "-", "o"),
    said.SUMS: CurveStyle("random trees, summed counts (A)", style.VERMILION, "--", "^"),
    said.FUNCTIONAL: CurveStyle("logistic, functional (R)", style.GREY, ":", "<"),
    said.of(said.LOGISTIC, said.OUTPUT): CurveStyle("logistic, output (R)", style.PURPLE, ":", "v"),
    said.of(said.SVM, said.OUTPUT): CurveStyle("SVM, output (R)", style.WINE, ":", ">"),
    said.of(said.LOGISTIC, said.PRINTED): CurveStyle("logistic, objective 2011 (R)", style.ORANGE, "-.", "P"),
    said.of(said.SVM, said.PRINTED): CurveStyle("SVM, objective 2011 (R)", style.SKY, "--", "X"),
    said.BOOSTED: CurveStyle("boosted bins (A, δ)", style.GREEN, "-", "D"),
    said.GAUSSIAN_COUNTS: CurveStyle("naive Bayes, Gaussian counts (A, δ)", style.BLUE, "-", "o"),
    said.SHARES: CurveStyle("random trees, shares (A)", style.VERMILION, "--", "^"),
    said.DESCENT: CurveStyle("logistic, noisy gradients (A, δ)", style.BLACK, "-.", "s"),
    said.of(said.LOGISTIC, said.GAUSSIAN): CurveStyle("logistic, Gaussian output (R, δ)", style.PURPLE, ":", "v"),
    said.of(said.SVM, said.GAUSSIAN): CurveStyle("SVM, Gaussian output (R, δ)", style.WINE, ":", ">"),
    said.of(said.LOGISTIC, said.TIGHT): CurveStyle("logistic, objective tight (R)", style.ORANGE, "-.", "P"),
    said.of(said.SVM, said.TIGHT): CurveStyle("SVM, objective tight (R)", style.SKY, "--", "X"),
}
TITLES = {said.REVIEW: "(a) as the review has them", said.MODERN: "(b) modern forms"}
TICKS = (0.15, 0.17, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6)


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """A panel a form, with the best without privacy, the commoner label, and what others have published. Bars are
    two standard errors.
    """
    with style.house_style():
        figure, panels = style.subplots(2, height=5.4, sharex=True, sharey=True)
        for axes, form in zip(panels, (said.REVIEW, said.MODERN), strict=True):
            _panel(axes, table, form, params["dataset"])
            axes.set_title(TITLES[form])
            axes.set_xlabel("privacy level ε, as stated")
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=1)
        panels[0].set_ylabel("test error")
        name, n, delta = str(params["dataset"]), int(table["n"].iloc[0]), style.scientific(params["delta"])
        figure.suptitle(
            f"{name.capitalize()}, n = {n}; {spread(table[table['epsilon'].notna()])};\n"
            f"δ = {delta} where (δ); neighbours add or remove (A) or replace (R) one record",
            fontsize=8,
        )
        return figure


def _panel(axes: Axes, table: pd.DataFrame, form: str, dataset: str) -> None:
    for mechanism, look in STYLES.items():
        rows = table[(table["mechanism"] == mechanism) & (table["form"] == form)]
        if len(rows):
            curve(axes, rows, "epsilon", "error", look, capsize=1.5, elinewidth=0.6)
    plain = table[table["form"] == said.PLAIN]
    majority = float(plain.loc[plain["mechanism"] == said.MAJORITY, "error"].iloc[0])
    axes.axhline(majority, color=style.BLACK, linewidth=1.0, linestyle=(0, (1, 1)), label="always the commoner label")
    best = plain.nsmallest(1, "error").iloc[0]
    axes.axhline(best["error"], color=style.BLACK, linewidth=1.0, label=str(best["mechanism"]))
    if dataset == said.RECORD and form == said.MODERN:
        rings = {**style.PUBLISHED, "markeredgewidth": 1.3, "zorder": 6, "markersize": 9, "color": style.BLACK}
        axes.plot(list(ERRORS), list(ERRORS.values()), label="published boosted trees", **rings)
    axes.set(xscale="log", yscale="log")
    ticks(axes, (0.01, 0.1, 1.0, 10.0), TICKS)
