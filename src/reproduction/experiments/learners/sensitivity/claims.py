"""Which of the printed numbers hold, and how much of them is needed."""

from __future__ import annotations

from collections.abc import Mapping
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


def _functional(table: pd.DataFrame) -> list[Claim]:
    rows = _of(table, said.LINEAR, said.LOGISTIC)
    listed = []
    for name, learner, formula in (
        ("functional-linear", said.LINEAR, "2(d + 1)²"),
        ("functional-logistic", said.LOGISTIC, "d²/4 + 3d"),
    ):
        mine = _of(table, learner)
        mine = mine[mine["relation"] == said.REPLACED]
        told = "; ".join(
            f"d = {d:g}: {printed:g}, proved {bound:.4g}, found {found:.4g}"
            for d, printed, bound, found in mine[["dimension", "printed", "bound", "found"]].to_numpy().tolist()
        )
        listed.append(
            at_most(
                name,
                ZHANG,
                f"a replaced record moves the coefficients by {formula} or less in L1: largest share found ({told})",
                limit=1.0,
                measured=_share(mine, "printed"),
                tolerance=ROUNDING,
                of_privacy=True,
            )
        )
    shares = rows["found"] / rows["bound"]
    attained = (rows["relation"] == said.ADDED) | (rows["dimension"] == 1)
    return [
        at_most(
            "s5.6-private",
            REVIEW,
            "Laplace noise of scale Δ/ε on the Taylor expansion's coefficients is private: no record moves them by "
            "more than the printed Δ in L1 (largest share found, linear and logistic)",
            limit=1.0,
            measured=_share(rows, "printed"),
            tolerance=ROUNDING,
            of_privacy=True,
        ),
        *listed,
        agrees(
            "functional-attained",
            THIS_FIGURE,
            "the proved Δ of the functional mechanism is attained where a record comes or goes, and on a line "
            "(least share found)",
            expected=1.0,
            measured=float(shares[attained].min()),
            tolerance=SEARCHED,
            ours=True,
        ),
        _room(shares[~attained]),
    ]


def _room(shares: pd.Series[float]) -> Claim:
    """Of a replaced record in the plane and beyond, where equality in all steps of the proof is not to be had."""
    text = (
        "where one is replaced in two dimensions or more, no better Δ could be less than .9 of it (least share found)"
    )
    if not len(shares):
        return untestable("functional-tight", THIS_FIGURE, text, "all rows of the table are on a line", ours=True)
    return at_least("functional-tight", THIS_FIGURE, text, limit=0.9, measured=float(shares.min()), ours=True)


def _output(table: pd.DataFrame) -> list[Claim]:
    hinge, logistic = _of(table, said.HINGE_OUTPUT), _of(table, said.LOGISTIC_OUTPUT)
    plane = logistic[logistic["dimension"] > 1]
    shares = zip(plane["n"].tolist(), plane["found"].tolist(), strict=True)
    told = ", ".join(f"{found / 2.0:.3f} at n = {n:g}" for n, found in shares)
    return [
        at_most(
            "output",
            CHAUDHURI,
            f"a replaced record moves the minimiser by 2/(nΛ) or less (nΛ‖w − w′‖; logistic, of 2: {told})",
            limit=2.0,
            measured=float(pd.concat([hinge, logistic])["found"].max()),
            tolerance=ROUNDING,
            of_privacy=True,
        ),
        agrees(
            "output-hinge",
            THIS_FIGURE,
            "the hinge loss of one record attains 2/(nΛ)",
            expected=2.0,
            measured=float(hinge["found"].max()),
            tolerance=2.0 * SEARCHED,
            ours=True,
        ),
        at_least(
            "output-logistic",
            THIS_FIGURE,
            "with many records the logistic loss in a plane comes within 1% of 2/(nΛ)",
            limit=1.98,
            measured=float(plane["found"].max()),
            ours=True,
        ),
    ]


def _others(table: pd.DataFrame) -> list[Claim]:
    moments = _of(table, said.ADA_SSP)
    added = moments[moments["relation"] == said.ADDED]
    attained = pd.concat([_of(table, *ATTAINED), table[table["learner"].str.startswith(said.BLOCKS)]])
    return [
        at_most(
            "ada-ssp",
            WANG,
            "one record more moves each of AdaSSP's three statistics by 1 or less in L2, and all by √3 (largest share)",
            limit=1.0,
            measured=_share(added, "printed"),
            tolerance=ROUNDING,
            of_privacy=True,
        ),
        agrees(
            "attained",
            THIS_FIGURE,
            "what naive Bayes, k-means of blocks, clipped sums and the hinge loss are proved to move is attained "
            "(least share found)",
            expected=1.0,
            measured=float((attained["found"] / attained["bound"]).min()),
            tolerance=SEARCHED,
            ours=True,
        ),
        never(
            "bounds",
            THIS_FIGURE,
            "no search exceeds a proved bound",
            violations=int((table["found"] > table["bound"] * (1.0 + ROUNDING)).sum()),
            cases=len(table),
            ours=True,
            of_privacy=True,
        ),
    ]


def _taylor(table: pd.DataFrame) -> list[Claim]:
    rows = _of(table, said.TAYLOR)
    near, far = (rows[rows["measure"] == f"|x·w| ≤ {reach:g}"].iloc[0] for reach in (said.NEAR, said.FAR))
    return [
        at_most(
            "taylor",
            ZHANG,
            "Taylor's logistic loss is off by at most (e² − e)/(6(1 + e)³) a record where |x·w| ≤ 1",
            limit=float(near["printed"]),
            measured=float(near["found"]),
            evidence=EXACT,
        ),
        at_least(
            "taylor-far",
            THIS_FIGURE,
            f"further out it is not: its error where |x·w| ≤ {said.FAR:g}",
            limit=float(far["printed"]),
            measured=float(far["found"]),
            evidence=EXACT,
            ours=True,
        ),
    ]


def _of(table: pd.DataFrame, *learners: str) -> pd.DataFrame:
    return table[table["learner"].isin(learners)]


def _share(rows: pd.DataFrame, of: str) -> float:
    return float((rows["found"] / rows[of]).max())
