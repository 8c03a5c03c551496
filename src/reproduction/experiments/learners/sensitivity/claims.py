"""Which of the printed numbers hold, and how much of them is needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, MONTE_CARLO, THIS_FIGURE, Claim, agrees, at_least, at_most, never, untestable
from reproduction.experiments.learners import sensitivity as said

EVIDENCE = MONTE_CARLO  # searches start at random; what they find is a lower bound, without error

REVIEW = "DP review 2019 section 5.6"
ZHANG = "Zhang et al. 2012, as commonly stated"
CHAUDHURI = "Chaudhuri and Monteleoni 2008, as commonly stated"
WANG = "Wang 2018, as commonly stated"
ROUNDING = 1e-9
ATTAINED = (said.HINGE_OUTPUT, said.TABLES, said.COUNTS, said.CLIPPED)
SEARCHED = 5e-3  # what a search may fall short of a number that is attained


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """Of each learner, and of all of them."""
    del params
    return [*_functional(table), *_output(table), *_others(table), *_taylor(table)]


def _functional(table: pd.DataFrame) -> Iterator[Claim]:
    rows = _of(table, said.LINEAR, said.LOGISTIC)
    text = (
        "Laplace noise of scale Δ/ε on the Taylor expansion's coefficients is private: no record moves them by "
        "more than the printed Δ in L1 (largest share found, linear and logistic)"
    )
    yield _within_printed("s5.6-private", REVIEW, text, rows)
    for name, learner, formula in (
        ("functional-linear", said.LINEAR, "2(d + 1)²"),
        ("functional-logistic", said.LOGISTIC, "d²/4 + 3d"),
    ):
        mine = rows[(rows["learner"] == learner) & (rows["relation"] == said.REPLACED)]
        numbers = "; ".join(
            f"d = {d:g}: {printed:g}, proved {bound:.4g}, found {found:.4g}"
            for d, printed, bound, found in mine[["dimension", "printed", "bound", "found"]].to_numpy().tolist()
        )
        text = f"a replaced record moves the coefficients by {formula} or less in L1: largest share found ({numbers})"
        yield _within_printed(name, ZHANG, text, mine)
    reached = (rows["relation"] == said.ADDED) | (rows["dimension"] == 1)
    text = (
        "the proved Δ of the functional mechanism is attained where a record comes or goes, and on a line "
        "(least share found)"
    )
    yield _attained("functional-attained", text, rows[reached])
    # In the plane and beyond, equality in all steps of the proof is not to be had of a replaced record.
    shares = _shares(rows[~reached], "bound")
    text = (
        "where one is replaced in two dimensions or more, no better Δ could be less than .9 of it (least share found)"
    )
    if len(shares):
        yield at_least("functional-tight", THIS_FIGURE, text, limit=0.9, measured=float(shares.min()), ours=True)
    else:
        yield untestable("functional-tight", THIS_FIGURE, text, "all rows of the table are on a line", ours=True)


def _output(table: pd.DataFrame) -> Iterator[Claim]:
    hinge, logistic = _of(table, said.HINGE_OUTPUT), _of(table, said.LOGISTIC_OUTPUT)
    plane = logistic[logistic["dimension"] > 1]
    numbers = zip(plane["n"].tolist(), plane["found"].tolist(), strict=True)
    shares = ", ".join(f"{found / 2.0:.3f} at n = {n:g}" for n, found in numbers)
    most, most_of_hinge, most_in_plane = (
        float(rows["found"].max()) for rows in (pd.concat([hinge, logistic]), hinge, plane)
    )
    text = f"a replaced record moves the minimiser by 2/(nΛ) or less (nΛ‖w − w′‖; logistic, of 2: {shares})"
    yield at_most("output", CHAUDHURI, text, limit=2.0, measured=most, tolerance=ROUNDING, of_privacy=True)
    text, near = "the hinge loss of one record attains 2/(nΛ)", 2.0 * SEARCHED
    yield agrees("output-hinge", THIS_FIGURE, text, expected=2.0, measured=most_of_hinge, tolerance=near, ours=True)
    text = "with many records the logistic loss in a plane comes within 1% of 2/(nΛ)"
    yield at_least("output-logistic", THIS_FIGURE, text, limit=1.98, measured=most_in_plane, ours=True)


def _others(table: pd.DataFrame) -> Iterator[Claim]:
    text = "one record more moves each of AdaSSP's three statistics by 1 or less in L2, and all by √3 (largest share)"
    moments = _of(table, said.ADA_SSP)
    yield _within_printed("ada-ssp", WANG, text, moments[moments["relation"] == said.ADDED])
    text = (
        "what naive Bayes, k-means of blocks, clipped sums and the hinge loss are proved to move is attained "
        "(least share found)"
    )
    blocks = table[table["learner"].str.startswith(said.BLOCKS)]
    yield _attained("attained", text, pd.concat([_of(table, *ATTAINED), blocks]))
    yield never(
        "bounds",
        THIS_FIGURE,
        "no search exceeds a proved bound",
        violations=int((table["found"] > table["bound"] * (1.0 + ROUNDING)).sum()),
        cases=len(table),
        ours=True,
        of_privacy=True,
    )


def _taylor(table: pd.DataFrame) -> Iterator[Claim]:
    rows = _of(table, said.TAYLOR)
    (near, off), (far, off_far) = (
        rows.loc[rows["measure"] == f"|x·w| ≤ {reach:g}", ["printed", "found"]].iloc[0].tolist()
        for reach in (said.NEAR, said.FAR)
    )
    text = "Taylor's logistic loss is off by at most (e² − e)/(6(1 + e)³) a record where |x·w| ≤ 1"
    yield at_most("taylor", ZHANG, text, limit=near, measured=off, evidence=EXACT)
    text = f"further out it is not: its error where |x·w| ≤ {said.FAR:g}"
    yield at_least("taylor-far", THIS_FIGURE, text, limit=far, measured=off_far, evidence=EXACT, ours=True)


def _of(table: pd.DataFrame, *learners: str) -> pd.DataFrame:
    return table[table["learner"].isin(learners)]


def _shares(rows: pd.DataFrame, of: str) -> pd.Series[float]:
    return rows["found"] / rows[of]


def _within_printed(name: str, source: str, text: str, rows: pd.DataFrame) -> Claim:
    """Judge whether nothing was found above a printed number."""
    most = float(_shares(rows, "printed").max())
    return at_most(name, source, text, limit=1.0, measured=most, tolerance=ROUNDING, of_privacy=True)


def _attained(name: str, text: str, rows: pd.DataFrame) -> Claim:
    """Judge whether a proved number is found everywhere, as far as a search goes."""
    least = float(_shares(rows, "bound").min())
    return agrees(name, THIS_FIGURE, text, expected=1.0, measured=least, tolerance=SEARCHED, ours=True)
