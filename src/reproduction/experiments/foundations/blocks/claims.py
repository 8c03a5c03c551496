"""What section 3.6 of the review wants of sample-and-aggregate, by the table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, MONTE_CARLO, THIS_FIGURE, Claim, Marks, agrees, at_most, never, untestable
from reproduction.experiments.foundations import blocks as said
from reproduction.experiments.foundations.judging import alike, none
from reproduction.experiments.foundations.rows import where

EVIDENCE = EXACT

SECTION = "DP review 2019 section 3.6"
ROUNDING = 1e-12
DRAWN: Marks = {"evidence": MONTE_CARLO, "ours": True}
SURE = 6.0  # standard errors: a normal variable is beyond with probability 2e-9


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """Smaller κ, and how close to f."""
    del params  # all of it is in the table
    errors = where(table, view=said.ERROR)
    return [*_sensitivity(where(table, view=said.SENSITIVITY)), *_error(errors), _noise(errors)]


def _sensitivity(rows: pd.DataFrame) -> list[Claim]:
    steep, parted = where(rows, function=(said.MEDIAN, said.LARGEST)), rows[rows["blocks"] > 1]
    no_smaller = parted["kappa"] >= parted["kappa_function"] * (1.0 - ROUNDING)
    pairs = int(rows["draws"].sum())
    functions = ", ".join(parted["function"][no_smaller].unique()) or "none"
    return [
        alike(
            "s3.6-falls",
            SECTION,
            "where f is the median or the maximum, its mean over k blocks has f's κ over k (largest relative error)",
            steep["kappa"] * steep["blocks"] / steep["kappa_function"] - 1.0,
            ROUNDING,
            ours=True,
        ),
        none(
            "s3.6-any",
            SECTION,
            f"the mean of f over the blocks has a smaller κ than f, whatever f is (no smaller where f is: {functions})",
            no_smaller,
            ours=True,
        ),
        none(
            "s3.6-private",
            SECTION,
            f"one record moves the mean over k blocks by at most (b − a)/k (all {pairs} pairs of data sets)",
            rows["kappa"] > rows["bound"] * (1.0 + ROUNDING),
            ours=True,
            of_privacy=True,
        ),
    ]


def _error(rows: pd.DataFrame) -> list[Claim]:
    """Where it is least, and whether there is anything to gain."""
    minimum = (
        "the error is least at a number of blocks between one and many, by 6 standard errors: noise falls with k, "
        "small blocks are unlike the whole"
    )
    close = (
        "with the best number of several blocks the result is closer to f than with one, where noise covers the "
        "interval"
    )
    if rows["blocks"].nunique() < 3 or rows["blocks"].min() > 1:
        reason = "fewer than three numbers of blocks, or not one block among them"
        return [
            untestable("minimum", THIS_FIGURE, minimum, reason, **DRAWN),
            untestable("s3.6-close", SECTION, close, reason, **DRAWN),
        ]
    best, inside, outside, gains, gained, lost = [], 0, 0, [], 0, 0
    groups = rows.groupby(["aggregator", "epsilon"], sort=False)
    curves = [where(curve, by="blocks") for _, curve in groups]
    for curve in curves:
        least, between = (some.nsmallest(1, "error").iloc[0] for some in (curve, curve.iloc[1:-1]))
        single, several = curve.iloc[0], curve.iloc[1:].nsmallest(1, "error").iloc[0]
        rises = _surely(curve.iloc[-1], between)  # if it does not, more blocks may be worse again
        inside, outside = inside + (min(rises, _surely(single, between)) > 0), outside + (_surely(single, between) < 0)
        gained, lost = gained + (_surely(single, several) > 0), lost + (_surely(single, several) < 0)
        best.append(f"{least['aggregator']} at ε = {least['epsilon']:g}: {least['blocks']:g}")
        gains.append(float(several["error"] / single["error"]))
    return [
        never("minimum", THIS_FIGURE, f"{minimum} ({'; '.join(best)})", violations=outside, cases=len(curves), **DRAWN)
        if outside or inside == len(curves)
        else untestable(
            "minimum", THIS_FIGURE, minimum, "errors still fall at the most blocks, or draws do not tell", **DRAWN
        ),
        at_most("s3.6-close", SECTION, f"{close} (largest ratio of errors)", limit=1.0, measured=max(gains), **DRAWN)
        if lost or gained == len(curves)
        else untestable("s3.6-close", SECTION, close, "errors within 6 standard errors of each other", **DRAWN),
    ]


def _surely(first: pd.Series[Any], second: pd.Series[Any]) -> int:
    """1 where the first error is larger beyond doubt, −1 where it is less, 0 where draws do not tell."""
    gap = first["error"] - second["error"]
    margin = SURE * math.hypot(first["standard_error"], second["standard_error"])
    return int(gap > margin) - int(gap < -margin)


def _noise(rows: pd.DataFrame) -> Claim:
    """E|Laplace(s)| = s; a share of N draws is off by 1/√N of it, as a standard deviation."""
    rows = where(rows, aggregator=said.MEAN)
    if not len(rows):
        return untestable("noise", THIS_FIGURE, "noise of the mean", "the table has no such row", **DRAWN)
    off = rows["noise_error"] * rows["blocks"] * rows["epsilon"] / rows["spread"] - 1.0
    worst = rows.assign(off=off, sure=off.abs() * rows["draws"] ** 0.5).nlargest(1, "sure").iloc[0]
    return agrees(
        "noise",
        THIS_FIGURE,
        "the mean's noise has a mean size of (b − a)/(kε) (relative error of the furthest row, 6 standard deviations)",
        expected=0.0,
        measured=float(worst["off"]),
        tolerance=SURE / math.sqrt(worst["draws"]),
        **DRAWN,
    )
