"""What to use at an ε: test errors as the review has the learners, and in modern forms, under one scale."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpsampling.release.style import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PUBLISHED,
    PURPLE,
    SKY,
    VERMILION,
    WINE,
    Dash,
    house_style,
    scientific,
    subplots,
)
from reproduction.experiments.learners import comparison as said
from reproduction.experiments.learners.spread import spread
from reproduction.experiments.learners.trees.published import ERRORS

Look = tuple[str, str, Dash, str]

# A learner of both panels has one colour and one marker.
STYLES: dict[str, Look] = {
    said.COUNTS: ("naive Bayes, counts (A)", BLUE, "-", "o"),
    said.SUMS: ("random trees, summed counts (A)", VERMILION, "--", "^"),
    said.FUNCTIONAL: ("logistic, functional (R)", GREY, ":", "<"),
    said.of(said.LOGISTIC, said.OUTPUT): ("logistic, output (R)", PURPLE, ":", "v"),
    said.of(said.SVM, said.OUTPUT): ("SVM, output (R)", WINE, ":", ">"),
    said.of(said.LOGISTIC, said.PRINTED): ("logistic, objective 2011 (R)", ORANGE, "-.", "P"),
    said.of(said.SVM, said.PRINTED): ("SVM, objective 2011 (R)", SKY, "--", "X"),
    said.BOOSTED: ("boosted bins (A, δ)", GREEN, "-", "D"),
    said.GAUSSIAN_COUNTS: ("naive Bayes, Gaussian counts (A, δ)", BLUE, "-", "o"),
    said.SHARES: ("random trees, shares (A)", VERMILION, "--", "^"),
    said.DESCENT: ("logistic, noisy gradients (A, δ)", BLACK, "-.", "s"),
    said.of(said.LOGISTIC, said.GAUSSIAN): ("logistic, Gaussian output (R, δ)", PURPLE, ":", "v"),
    said.of(said.SVM, said.GAUSSIAN): ("SVM, Gaussian output (R, δ)", WINE, ":", ">"),
    said.of(said.LOGISTIC, said.TIGHT): ("logistic, objective tight (R)", ORANGE, "-.", "P"),
    said.of(said.SVM, said.TIGHT): ("SVM, objective tight (R)", SKY, "--", "X"),
}
TITLES = {said.REVIEW: "(a) as the review has them", said.MODERN: "(b) modern forms"}
TICKS = (0.15, 0.17, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6)


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """A panel a form, with the best without privacy, the commoner label, and what others have published. Bars are
    two standard errors.
    """
    with house_style():
        figure, panels = subplots(2, height=5.4, sharex=True, sharey=True)
        for axes, form in zip(panels, (said.REVIEW, said.MODERN), strict=True):
            _panel(axes, table, form, params["dataset"])
            axes.set_title(TITLES[form])
            axes.set_xlabel("privacy level ε, as stated")
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=1)
        panels[0].set_ylabel("test error")
        name, n = str(params["dataset"]), int(table["n"].iloc[0])
        figure.suptitle(
            f"{name.capitalize()}, n = {n}; {spread(table[table['epsilon'].notna()])};\n"
            f"δ = {scientific(params['delta'])} where (δ); neighbours add or remove (A) or replace (R) one record",
            fontsize=8,
        )
        return figure


def _panel(axes: Axes, table: pd.DataFrame, form: str, dataset: str) -> None:
    for mechanism, (label, colour, dash, marker) in STYLES.items():
        rows = table[(table["mechanism"] == mechanism) & (table["form"] == form)].sort_values("epsilon", kind="stable")
        if not len(rows):
            continue
        axes.errorbar(
            rows["epsilon"],
            rows["error"],
            yerr=2.0 * rows["standard_error"],
            color=colour,
            linestyle=dash,
            marker=marker,
            capsize=1.5,
            elinewidth=0.6,
            label=label,
        )
    plain = table[table["form"] == said.PLAIN]
    majority = float(plain.loc[plain["mechanism"] == said.MAJORITY, "error"].iloc[0])
    axes.axhline(majority, color=BLACK, linewidth=1.0, linestyle=(0, (1, 1)), label="always the commoner label")
    best = plain.nsmallest(1, "error").iloc[0]
    axes.axhline(best["error"], color=BLACK, linewidth=1.0, label=str(best["mechanism"]))
    if dataset == said.RECORD and form == said.MODERN:
        rings = {**PUBLISHED, "markeredgewidth": 1.3, "zorder": 6}
        axes.plot(
            list(ERRORS), list(ERRORS.values()), color=BLACK, markersize=9, label="published boosted trees", **rings
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks([0.01, 0.1, 1.0, 10.0], ["0.01", "0.1", "1", "10"])
    axes.set_yticks(TICKS, [f"{error:g}" for error in TICKS])
    axes.minorticks_off()
