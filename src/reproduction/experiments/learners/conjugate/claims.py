"""What section 5.1 of the review says of conjugate models, and what stands beside it.

The review prints no formula: it says that posteriors come out private by noise at each update or on the trained model.
What decides it is what one record moves, times the rate of the noise. Errors are roots of means of squares; of R
repeats with K categories each such a mean has close to normal errors, and SURE standard errors are exceeded with
probability 2e-9 for a normal variable. Comparisons of two mechanisms allow 4 of the combined ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, MONTE_CARLO, Claim, agrees, at_least, never, untestable
from reproduction.experiments.learners import conjugate as said

EVIDENCE = MONTE_CARLO

SECTION = "DP review 2019 section 5.1"
OURS = "ours, after DP review 2019 section 5.1"
SURE, STANDARD_ERRORS = 6.0, 4.0
FEW = 20  # repeats; with fewer, a mean over its standard error is not close to normal
ROUNDING = 1e-12
MANY = 1024  # updates, from which on a tree is clearly worth it


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """Both ways are private, √T apart; errors are those of the closed form; a tree is no worse."""
    found = [*_private(table), _root_exact(table)]
    few = params["repeats"] < FEW
    for name, source, text, judge in (
        (
            "s5.1-root",
            SECTION,
            "noise at each of T updates makes the last error √T times that of noise at the end, within 6 standard "
            "errors",
            _root,
        ),
        ("errors", OURS, "errors are those of the closed form, within 6 standard errors", _errors),
        (
            "modern",
            OURS,
            "the mean error of all T posteriors by the best tree is no more than that of noise at each "
            "update, at every T and ε, but for 4 standard errors",
            _modern,
        ),
    ):
        if few:
            found.append(untestable(name, source, text, f"there are fewer than {FEW} repeats", ours=True))
        else:
            violations, cases = judge(table)
            found.append(never(name, source, text, violations=violations, cases=cases, ours=True))
    return [*found, _gain(table)]


def _private(table: pd.DataFrame) -> list[Claim]:
    """The most that one record moves, times the rate, is the level at which it is released."""
    found = []
    for name, source, mechanisms, text in (
        (
            "s5.1-private",
            SECTION,
            (said.AT_THE_END, said.EACH),
            "noise of the same rate on every update, or once on the trained model, is ε-private, no more and no less",
        ),
        (
            "modern-private",
            OURS,
            (said.BINARY, said.BEST),
            "all posteriors by a tree of h levels with noise of rate ε/h are ε-private together, no more and no less",
        ),
    ):
        rows = table[table["mechanism"].isin(mechanisms)]
        worst = rows.assign(off=(rows["spent"] / rows["epsilon"] - 1.0).abs()).nlargest(1, "off").iloc[0]
        found.append(
            agrees(
                name,
                source,
                f"{text}: what a record more moves, times the rate, over ε",
                expected=1.0,
                measured=float(worst["spent"] / worst["epsilon"]),
                tolerance=ROUNDING,
                evidence=EXACT,
                ours=source == OURS,
                of_privacy=True,
            )
        )
    return found


def _pairs(table: pd.DataFrame, view: str, first: str, second: str) -> pd.DataFrame:
    """Rows of two mechanisms side by side."""
    rows = table[table["view"] == view]
    one, other = (rows[rows["mechanism"] == name] for name in (first, second))
    return one.merge(other, on=["updates", "epsilon"], suffixes=("_one", "_other"))


def _root_exact(table: pd.DataFrame) -> Claim:
    """At the most updates and the least ε, in measured numbers."""
    pairs = _pairs(table, said.FINAL, said.EACH, said.AT_THE_END)
    worst = pairs.sort_values(["updates", "epsilon"], ascending=[False, True]).iloc[0]
    ratio = float(worst["error_one"] / worst["error_other"])
    return agrees(
        "s5.1-factor",
        SECTION,
        f"noise at each of {worst['updates']:g} updates, over noise at the end, both at ε = {worst['epsilon']:g} "
        f"(ratio of errors, within 6 standard errors; {worst['draws_one']:g} draws)",
        expected=math.sqrt(worst["updates"]),
        measured=ratio,
        tolerance=SURE * ratio * _relative(worst),
        ours=True,
    )


def _relative(pair: pd.Series[Any]) -> float:
    """The standard error of a ratio over it."""
    return math.hypot(
        pair["standard_error_one"] / pair["error_one"], pair["standard_error_other"] / pair["error_other"]
    )


def _root(table: pd.DataFrame) -> tuple[int, int]:
    pairs = _pairs(table, said.FINAL, said.EACH, said.AT_THE_END)
    off = [
        abs(pair["error_one"] / pair["error_other"] / math.sqrt(pair["updates"]) - 1.0) > SURE * _relative(pair)
        for _, pair in pairs.iterrows()
    ]
    return sum(off), len(off)


def _errors(table: pd.DataFrame) -> tuple[int, int]:
    off = (table["error"] - table["exact"]).abs() > SURE * table["standard_error"]
    return int(off.sum()), len(table)


def _modern(table: pd.DataFrame) -> tuple[int, int]:
    pairs = _pairs(table, said.RUNNING, said.BEST, said.EACH)
    slack = STANDARD_ERRORS * (pairs["standard_error_one"] ** 2 + pairs["standard_error_other"] ** 2) ** 0.5
    return int((pairs["error_one"] - pairs["error_other"] > slack).sum()), len(pairs)


def _gain(table: pd.DataFrame) -> Claim:
    """Noise at each update over the best tree, at the most updates: the least over ε."""
    pairs = _pairs(table, said.RUNNING, said.EACH, said.BEST)
    most = pairs["updates"].max()
    text = (
        f"of all {most} posteriors noise at each update has so many times the error of the best tree (least over ε, "
        f"less {STANDARD_ERRORS:g} standard errors)"
    )
    if most < MANY:
        return untestable("gain", OURS, text, f"fewer than {MANY} updates", ours=True)
    last = pairs[pairs["updates"] == most]
    sure = [
        pair["error_one"] / pair["error_other"] * (1.0 - STANDARD_ERRORS * _relative(pair))
        for _, pair in last.iterrows()
    ]
    return at_least("gain", OURS, text, limit=1.2, measured=float(min(sure)), ours=True)
