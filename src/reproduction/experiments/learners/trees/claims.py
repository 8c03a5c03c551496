"""What section 5.3 says of trees, and what boosted bins reach, by the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from reproduction.claims import (
    EXACT,
    MONTE_CARLO,
    PUBLISHED_POINTS,
    REAL_DATA,
    Claim,
    Marks,
    agrees,
    at_most,
    corrected,
    untestable,
)
from reproduction.experiments.learners import trees as said
from reproduction.experiments.learners.accuracies import no_worse
from reproduction.experiments.learners.trees.published import ERRORS

EVIDENCE = EXACT

SECTION = "DP review 2019 section 5.3"
OURS = "ours, after DP review 2019 section 5.3"
BEYOND = "ours, after Nori et al. 2021"
RECORD = "private boosted trees (S-GBDT), as commonly stated"
SURE = 4.0  # standard errors
ROUNDING = 1e-9


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """The formula, its privacy, and accuracies."""
    del params  # all of it is in the table
    views = {view: table[table["view"] == view] for view in (said.ENUMERATED, said.FORMULA, said.ACCURACY)}
    accuracy = views[said.ACCURACY]
    return [
        _formula(views[said.FORMULA].set_index("mechanism")["off"]),
        *_private(views[said.ENUMERATED]),
        _levels(accuracy),
        *(_record(accuracy, epsilon, error) for epsilon, error in ERRORS.items()),
        *_modern(accuracy),
    ]


def _formula(off: pd.Series[float]) -> Claim:
    return corrected(
        "s5.3",
        SECTION,
        "the printed quotient of summed counts, with trees up to N below and up to m above, is a probability (largest "
        "|Σ_k P(Y = k | x) − 1| for N = m − 1)",
        correction="m is the upper limit of both sums",
        error_as_printed=float(off[said.TO_N]),
        error_as_corrected=float(off[said.TO_M]),
        tolerance=ROUNDING,
        slip=True,
        evidence=MONTE_CARLO,  # counts of drawn rows in drawn trees
    )


def _private(rows: pd.DataFrame) -> Iterator[Claim]:
    leaves, exact = (rows[rows["mechanism"] == name] for name in (said.LEAVES, said.NO_NOISE))
    factor = 1 + (leaves["relation"] == said.REPLACED)
    off = float((leaves["moved_l1"] / (factor * leaves["trees"]) - 1.0).abs().max())
    yield corrected(
        "s5.3-private",
        SECTION,
        "random partitions, the counts of their parts, and a prediction from these are private (no noise is "
        "named: δ at every ε)",
        correction="noise of scale m/ε on every count: a record moves m counts by 1",
        error_as_printed=float(exact["delta_true"].max()),
        error_as_corrected=off,
        tolerance=ROUNDING,
        slip=False,
        ours=True,  # the review sends the reader to a paper, which may have noise
        of_privacy=True,
    )
    text = (
        "each of m trees sees every record: noise 1/ε in each of them is mε in all (largest relative error, and "
        "2mε where a record takes another's place)"
    )
    yield agrees("every-tree", OURS, text, expected=0.0, measured=off, tolerance=ROUNDING, ours=True)


def _levels(rows: pd.DataFrame) -> Claim:
    text = "noisy leaves and boosted bins spend what they state (largest true level over ε)"
    level, marks = float((rows["epsilon_true"] / rows["epsilon"]).max()), Marks(ours=True, of_privacy=True)
    return at_most("levels", OURS, text, limit=1.0, measured=level, tolerance=ROUNDING, **marks)


def _record(rows: pd.DataFrame, epsilon: float, error: float) -> Claim:
    """Below the published error by 4 standard errors."""
    mine = rows[(rows["dataset"] == said.ADULT) & (rows["mechanism"] == said.BOOSTED) & (rows["epsilon"] == epsilon)]
    name = f"record-{epsilon:g}"
    statement = f"boosted bins have a lower test error on Adult at ε = {epsilon:g} than {error:g}"
    marks: Marks = {"evidence": PUBLISHED_POINTS, "ours": True}
    if mine.empty or mine["standard_error"].isna().any():
        return untestable(name, RECORD, statement, "no repeats on Adult at this ε", **marks)
    row = mine.iloc[0]
    wrong, margin = 1.0 - row["accuracy"], SURE * row["standard_error"]
    statement = (
        f"{statement} ({row['relation']}, δ = {row['delta']:g}; "
        f"{wrong:.4f} + 4 standard errors of {margin / SURE:.5f}; "
        "rounds, segments and shrinkage were chosen with these test rows in view, and at no cost)"
    )
    return at_most(name, RECORD, statement, limit=error, measured=float(wrong + margin), **marks)


def _modern(rows: pd.DataFrame) -> Iterator[Claim]:
    private, marks = rows[rows["epsilon"].notna()], Marks(evidence=REAL_DATA, ours=True)
    for name, vote, mechanism in (
        ("modern-sums", "summed counts", said.SUMS),
        ("modern-shares", "the mean of shares", said.SHARES),
    ):
        text = f"boosted bins are at least as accurate as random trees by {vote}, within 4 combined standard errors"
        yield no_worse(name, BEYOND, text, private, said.BOOSTED, mechanism, **marks)
