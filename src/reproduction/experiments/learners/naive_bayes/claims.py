"""What section 5.8 says of naive Bayes, by the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, REAL_DATA, Claim, Marks, agrees, at_least, at_most, corrected, untestable
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


def _off(found: pd.Series[float], formula: pd.Series[int]) -> float:
    """Return the largest relative error."""
    return float((found / formula - 1.0).abs().max())


def _enumerated(rows: pd.DataFrame, pairs: pd.DataFrame) -> Iterator[Claim]:
    m = rows["attributes"]
    shares, counts, tables = (_moved(rows, name, said.REPLACED) for name in (said.SHARES, said.COUNTS, said.TABLES))
    added = _moved(rows, said.COUNTS, said.ADDED)
    off = max(
        _off(added["moved_l1"], added["attributes"] + 1),
        _off(counts["moved_l1"], 2 * counts["attributes"] + 2),
        _off(tables["moved_l1"], 2 * tables["attributes"]),
    )
    squares = rows[rows["mechanism"] != said.SHARES]
    times = 1 + (squares["relation"] == said.REPLACED)
    off_squared = _off(
        squares["moved_l2_squared"], (squares["attributes"] + (squares["mechanism"] == said.COUNTS)) * times
    )
    yield agrees(
        "s5.8",
        SECTION,
        "Laplace noise on P(x|y) makes it private, for public class sizes: a record in place of another moves it "
        f"by 2m in L1, so that a scale of 2m/ε is enough (largest relative error; {int(rows['pairs'].sum())} pairs of "
        "data sets)",
        expected=0.0,
        measured=_off(shares["moved_l1"], 2 * shares["attributes"]),
        tolerance=ROUNDING,
        ours=True,  # no scale is named, and no class size is said to be public
        of_privacy=True,
    )
    text = (
        "scale 1/ε on P(x|y), which no word of it rules out, is not enough (true level over ε: one attribute, the "
        "one record of a class changes)"
    )
    source = f"{SECTION}, with the scale of section 5.4"
    level = float(_moved(rows[m == m.min()], said.SHARES, said.REPLACED)["moved_l1"].max())
    yield at_least("s5.8-scale", source, text, limit=1.0 + ROUNDING, measured=level, ours=True)
    yield corrected(
        "s5.8-prior",
        SECTION,
        "noise on P(X_i = x_i | Y = y_k) alone, with P(Y = k) as it is, makes naive Bayes private (δ at every ε)",
        correction="noise on the classes' counts too: counts move by m + 1 in L1, so that (m + 1)/ε on each is ε",
        error_as_printed=float(pairs.loc[pairs["mechanism"] == said.NO_PRIOR_NOISE, "delta_true"].max()),
        error_as_corrected=off,
        tolerance=ROUNDING,
        slip=False,
        ours=True,  # the review names the one noise, and no other as absent
        of_privacy=True,
    )
    text = (
        "counts of classes and tables move by m + 1 (add or remove) and 2(m + 1) (replace) in L1, tables alone by "
        "2m (replace): largest relative error"
    )
    yield agrees("counts-l1", OURS, text, expected=0.0, measured=off, tolerance=ROUNDING, ours=True)
    text = "and by the root of that in L2: largest relative error of the square"
    yield agrees("counts-l2", OURS, text, expected=0.0, measured=off_squared, tolerance=ROUNDING, ours=True)


def _pairs(rows: pd.DataFrame) -> Iterator[Claim]:
    """Scales that hang on the rows: δ at the stated ε, which ε-DP has at 0."""
    epsilon, delta = _at_one(rows, said.CLASS_SCALE)
    text = (
        "noise of scale 1/(n_y ε) on P(x|y) is not ε-DP (δ at ε of one cell, of classes of one record and two "
        f"alike), at ε = {epsilon:g}"
    )
    source = f"{SECTION}, with the scale 1/(n_y ε)"
    yield at_least("class-scale", source, text, limit=ROUNDING, measured=delta, ours=True)
    epsilon, delta = _at_one(rows, said.MEAN_SCALE)
    text = (
        f"a mean of n numbers with noise of scale (u − l)/((n + 1)ε), n from the rows, is ε-DP (δ at ε, n = "
        f"{said.RECORDS} and one record more), at ε = {epsilon:g}"
    )
    yield at_most("mean-scale", VAIDYA, text, limit=0.0, measured=delta, of_privacy=True)


def _at_one(rows: pd.DataFrame, name: str) -> tuple[float, float]:
    """Return ε and δ of the pair at the ε that is nearest to 1."""
    mine = rows[rows["mechanism"] == name]
    nearest = mine.iloc[int((mine["epsilon"] - 1.0).abs().to_numpy().argmin())]
    return float(nearest["epsilon"]), float(nearest["delta_true"])


def _levels(rows: pd.DataFrame) -> Iterator[Claim]:
    rows = rows.assign(ratio=rows["epsilon_true"] / rows["epsilon"])
    each, honest = rows[rows["mechanism"] == said.EACH], rows[rows["mechanism"].isin([said.WHOLE, said.GAUSSIAN])]
    off, level = _off(each["ratio"], each["attributes"] + 1), float(honest["ratio"].max())
    text = "noise of scale 1/ε on every count, as on one histogram, is (m + 1)ε in all (largest relative error)"
    yield agrees("every-count", OURS, text, expected=0.0, measured=off, tolerance=ROUNDING, ours=True)
    text = "noise (m + 1)/ε on every count and Gaussian counts spend what they state (largest true level over ε)"
    marks: Marks = {"ours": True, "of_privacy": True}
    yield at_most("levels", OURS, text, limit=1.0, measured=level, tolerance=ROUNDING, **marks)


def _modern(rows: pd.DataFrame) -> Claim:
    statement = "Gaussian counts are at least as accurate as noise (m + 1)/ε, within 4 combined standard errors"
    private = rows[rows["epsilon"].notna()]
    if private.empty:
        return untestable("modern", OURS, statement, "the table has no accuracies", evidence=REAL_DATA, ours=True)
    return no_worse("modern", OURS, statement, private, said.GAUSSIAN, said.WHOLE, evidence=REAL_DATA, ours=True)
