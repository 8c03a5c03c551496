"""What section 5.8 says of naive Bayes, by the table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, REAL_DATA, Claim, agrees, at_least, at_most, corrected, untestable
from reproduction.experiments.learners import naive_bayes as said
from reproduction.experiments.learners.accuracies import no_worse

EVIDENCE = EXACT

SECTION = "DP review 2019 section 5.8"
VAIDYA = "Vaidya et al. 2013, as commonly stated"
OURS = "ours, after DP review 2019 section 5.8"
ROUNDING = 1e-9


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """Sensitivities, scales, and accuracies."""
    del params  # all of it is in the table
    enumerated, pairs, accuracy = (table[table["view"] == view] for view in (said.ENUMERATED, said.PAIR, said.ACCURACY))
    return [*_enumerated(enumerated, pairs), *_pairs(pairs), *_levels(accuracy), _modern(accuracy)]


def _moved(rows: pd.DataFrame, statistic: str, relation: str) -> pd.DataFrame:
    return rows[(rows["mechanism"] == statistic) & (rows["relation"] == relation)]


def _enumerated(rows: pd.DataFrame, pairs: pd.DataFrame) -> list[Claim]:
    m = rows["attributes"]
    shares, counts, tables = (_moved(rows, name, said.REPLACED) for name in (said.SHARES, said.COUNTS, said.TABLES))
    added = _moved(rows, said.COUNTS, said.ADDED)
    off = max(
        float((added["moved_l1"] / (added["attributes"] + 1) - 1.0).abs().max()),
        float((counts["moved_l1"] / (2 * counts["attributes"] + 2) - 1.0).abs().max()),
        float((tables["moved_l1"] / (2 * tables["attributes"]) - 1.0).abs().max()),
    )
    squares = rows[rows["mechanism"] != said.SHARES]
    needed = (squares["attributes"] + (squares["mechanism"] == said.COUNTS)) * (
        1 + (squares["relation"] == said.REPLACED)
    )
    smallest = _moved(rows[m == m.min()], said.SHARES, said.REPLACED)
    prior = pairs.loc[pairs["mechanism"] == said.NO_PRIOR_NOISE, "delta_true"]
    looked = int(rows["pairs"].sum())
    return [
        agrees(
            "s5.8",
            SECTION,
            "Laplace noise on P(x|y) makes it private, for public class sizes: a record in place of another moves it "
            f"by 2m in L1, so that a scale of 2m/ε is enough (largest relative error; {looked} pairs of data sets)",
            expected=0.0,
            measured=float((shares["moved_l1"] / (2 * shares["attributes"]) - 1.0).abs().max()),
            tolerance=ROUNDING,
            ours=True,  # no scale is named, and no class size is said to be public
            of_privacy=True,
        ),
        at_least(
            "s5.8-scale",
            f"{SECTION}, with the scale of section 5.4",
            "scale 1/ε on P(x|y), which no word of it rules out, is not enough (true level over ε: one attribute, the "
            "one record of a class changes)",
            limit=1.0 + ROUNDING,
            measured=float(smallest["moved_l1"].max()),
            ours=True,
        ),
        corrected(
            "s5.8-prior",
            SECTION,
            "noise on P(X_i = x_i | Y = y_k) alone, with P(Y = k) as it is, makes naive Bayes private (δ at every ε)",
            correction="noise on the classes' counts too: counts move by m + 1 in L1, so that (m + 1)/ε on each is ε",
            error_as_printed=float(prior.max()),
            error_as_corrected=off,
            tolerance=ROUNDING,
            slip=False,
            ours=True,  # the review names the one noise, and no other as absent
            of_privacy=True,
        ),
        agrees(
            "counts-l1",
            OURS,
            "counts of classes and tables move by m + 1 (add or remove) and 2(m + 1) (replace) in L1, tables alone by "
            "2m (replace): largest relative error",
            expected=0.0,
            measured=off,
            tolerance=ROUNDING,
            ours=True,
        ),
        agrees(
            "counts-l2",
            OURS,
            "and by the root of that in L2: largest relative error of the square",
            expected=0.0,
            measured=float((squares["moved_l2_squared"] / needed - 1.0).abs().max()),
            tolerance=ROUNDING,
            ours=True,
        ),
    ]


def _pairs(rows: pd.DataFrame) -> list[Claim]:
    """Scales that hang on the rows: δ at the stated ε, which ε-DP has at 0."""
    near = {name: _at_one(rows, name) for name in (said.CLASS_SCALE, said.MEAN_SCALE)}
    one, mean = near[said.CLASS_SCALE], near[said.MEAN_SCALE]
    return [
        at_least(
            "class-scale",
            f"{SECTION}, with the scale 1/(n_y ε)",
            "noise of scale 1/(n_y ε) on P(x|y) is not ε-DP (δ at ε of one cell, of classes of one record and two "
            f"alike), at ε = {one['epsilon']:g}",
            limit=ROUNDING,
            measured=float(one["delta_true"]),
            ours=True,
        ),
        at_most(
            "mean-scale",
            VAIDYA,
            f"a mean of n numbers with noise of scale (u − l)/((n + 1)ε), n from the rows, is ε-DP (δ at ε, n = "
            f"{said.RECORDS} and one record more), at ε = {mean['epsilon']:g}",
            limit=0.0,
            measured=float(mean["delta_true"]),
            of_privacy=True,
        ),
    ]


def _at_one(rows: pd.DataFrame, name: str) -> pd.Series[Any]:
    """The pair at the ε that is nearest to 1."""
    mine = rows[rows["mechanism"] == name]
    return mine.iloc[int((mine["epsilon"] - 1.0).abs().to_numpy().argmin())]


def _levels(rows: pd.DataFrame) -> list[Claim]:
    def ratio(name: str) -> pd.Series[float]:
        mine = rows[rows["mechanism"] == name]
        return (mine["epsilon_true"] / mine["epsilon"]).rename("ratio")

    each = rows[rows["mechanism"] == said.EACH]
    honest = pd.concat([ratio(said.WHOLE), ratio(said.GAUSSIAN)])
    return [
        agrees(
            "every-count",
            OURS,
            "noise of scale 1/ε on every count, as on one histogram, is (m + 1)ε in all (largest relative error)",
            expected=0.0,
            measured=float((each["epsilon_true"] / each["epsilon"] / (each["attributes"] + 1) - 1.0).abs().max()),
            tolerance=ROUNDING,
            ours=True,
        ),
        at_most(
            "levels",
            OURS,
            "noise (m + 1)/ε on every count and Gaussian counts spend what they state (largest true level over ε)",
            limit=1.0,
            measured=float(honest.max()),
            tolerance=ROUNDING,
            ours=True,
            of_privacy=True,
        ),
    ]


def _modern(rows: pd.DataFrame) -> Claim:
    statement = "Gaussian counts are at least as accurate as noise (m + 1)/ε, within 4 combined standard errors"
    private = rows[rows["epsilon"].notna()]
    if private.empty:
        return untestable("modern", OURS, statement, "the table has no accuracies", evidence=REAL_DATA, ours=True)
    return no_worse("modern", OURS, statement, private, said.GAUSSIAN, said.WHOLE, evidence=REAL_DATA, ours=True)
