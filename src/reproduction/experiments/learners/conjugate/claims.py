"""What section 5.1 of the review says of conjugate models, and what stands beside it.

The review prints no formula: it says that posteriors come out private by noise at each update or on the trained model.
What decides it is what one record moves, times the rate of the noise. Errors are roots of means of squares; of R
repeats with K categories each such a mean has close to normal errors, and SURE standard errors are exceeded with
probability 2e-9 for a normal variable. Comparisons of two mechanisms allow 4 of the combined ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from reproduction.claims import EXACT, MONTE_CARLO, Claim, Marks, agrees, at_least, never, untestable
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
    return [*_private(table), _root_exact(table), *_everywhere(table, params["repeats"]), _gain(table)]


def _private(table: pd.DataFrame) -> Iterator[Claim]:
    """The most that one record moves, times the rate, is the level at which it is released."""
    once = "noise of the same rate on every update, or once on the trained model, is ε-private, no more and no less"
    tree = "all posteriors by a tree of h levels with noise of rate ε/h are ε-private together, no more and no less"
    for name, source, mechanisms, text in (
        ("s5.1-private", SECTION, (said.AT_THE_END, said.EACH), once),
        ("modern-private", OURS, (said.BINARY, said.BEST), tree),
    ):
        rows = table[table["mechanism"].isin(mechanisms)]
        ratio = rows["spent"] / rows["epsilon"]
        worst = float(ratio[(ratio - 1.0).abs().nlargest(1).index].iloc[0])
        text = f"{text}: what a record more moves, times the rate, over ε"
        marks: Marks = {"evidence": EXACT, "ours": source == OURS, "of_privacy": True}
        yield agrees(name, source, text, expected=1.0, measured=worst, tolerance=ROUNDING, **marks)


def _pairs(table: pd.DataFrame, view: str, first: str, second: str) -> pd.DataFrame:
    """Put rows of two mechanisms side by side, with the ratio of their errors and its standard error over it."""
    rows = table[table["view"] == view]
    mine, other = (rows[rows["mechanism"] == name] for name in (first, second))
    pairs = mine.merge(other, on=["updates", "epsilon"], suffixes=("", "_other"))
    own, of_other = (pairs[f"standard_error{of}"] / pairs[f"error{of}"] for of in ("", "_other"))
    return pairs.assign(ratio=pairs["error"] / pairs["error_other"], relative=np.hypot(own, of_other))


def _root_exact(table: pd.DataFrame) -> Claim:
    """At the most updates and the least ε, in measured numbers."""
    pairs = _pairs(table, said.FINAL, said.EACH, said.AT_THE_END)
    worst = pairs.sort_values(["updates", "epsilon"], ascending=[False, True]).iloc[0]
    ratio = float(worst["ratio"])
    text = (
        f"noise at each of {worst['updates']:g} updates, over noise at the end, both at ε = {worst['epsilon']:g} "
        f"(ratio of errors, within 6 standard errors; {worst['draws']:g} draws)"
    )
    root, slack = math.sqrt(worst["updates"]), SURE * ratio * worst["relative"]
    return agrees("s5.1-factor", SECTION, text, expected=root, measured=ratio, tolerance=slack, ours=True)


def _everywhere(table: pd.DataFrame, repeats: int) -> Iterator[Claim]:
    """At every T and ε: the factor, the closed form, and the best tree against noise at each update."""
    last = _pairs(table, said.FINAL, said.EACH, said.AT_THE_END)
    root = ~((last["ratio"] / np.sqrt(last["updates"]) - 1.0).abs() <= SURE * last["relative"])
    off = (table["error"] - table["exact"]).abs() > SURE * table["standard_error"]
    running = _pairs(table, said.RUNNING, said.BEST, said.EACH)
    slack = STANDARD_ERRORS * (running["standard_error"] ** 2 + running["standard_error_other"] ** 2) ** 0.5
    times = (
        "noise at each of T updates makes the last error √T times that of noise at the end, within 6 standard errors"
    )
    better = (
        "the mean error of all T posteriors by the best tree is no more than that of noise at each "
        "update, at every T and ε, but for 4 standard errors"
    )
    for name, source, text, wrong in (
        ("s5.1-root", SECTION, times, root),
        ("errors", OURS, "errors are those of the closed form, within 6 standard errors", off),
        ("modern", OURS, better, running["error"] - running["error_other"] > slack),
    ):
        if repeats < FEW:
            yield untestable(name, source, text, f"there are fewer than {FEW} repeats", ours=True)
        else:
            yield never(name, source, text, violations=int(wrong.sum()), cases=len(wrong), ours=True)


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
    sure = (pairs["ratio"] * (1.0 - STANDARD_ERRORS * pairs["relative"]))[pairs["updates"] == most]
    return at_least("gain", OURS, text, limit=1.2, measured=float(sure.min()), ours=True)
