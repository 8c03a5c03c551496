"""What section 5.5 of the review says of k means, and what stands beside it.

A mean of m ratios has standard error sd/√m. Comparisons allow 4 of the combined standard errors: a true statement about
K pairs fails with probability below 3.2e-5·K. The review names a paper and no formula: its words say that the learner
comes out private, by smooth sensitivity and sample-and-aggregate. What decides it is |f − f′| ≤ S, S/S′ ≤ e^β for all
neighbours, and the δ that noise of this scale really has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from reproduction.claims import EXACT, MONTE_CARLO, REAL_DATA, Claim, Marks, at_least, at_most, never, untestable
from reproduction.experiments.learners import clustering as said
from reproduction.experiments.learners.accuracies import remaining, surely_at_most

EVIDENCE = MONTE_CARLO

SECTION = "DP review 2019 section 5.5"
NISSIM = "Nissim, Raskhodnikova and Smith 2007, as commonly stated"
OURS = "ours, after DP review 2019 section 5.5"
STANDARD_ERRORS = 4.0
FEW = 20  # repeats; with fewer, a mean over its standard error is not close to normal
ROUNDING = 1e-9  # S is rounded up by 2⁻⁴¹, which β ≥ 1e-5 divides
LESS_THAN_HALF = 0.5
MIXED = 3.0  # from this ratio of losses on, orders differ
PRIVACY: Marks = {"evidence": EXACT, "of_privacy": True}


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """Privacy by its parts, use, the modern form, and the order of centres."""
    error, order, smooth = (table[table["view"] == view] for view in (said.ERROR, said.ORDER, said.SMOOTHNESS))
    return [*_smoothness(smooth), *_deltas(error), _useful(error), *_modern(error, params), _mixes(order)]


def _smoothness(rows: pd.DataFrame) -> Iterator[Claim]:
    pairs = int(rows["repeats"].sum())
    move, ratio = (float(rows[column].max()) for column in ("largest_move", "largest_ratio"))
    text = f"one result moves the median by at most the smooth S of either data set (largest share, {pairs} pairs)"
    yield at_most("s5.5-move", SECTION, text, limit=1.0, measured=move, **PRIVACY)
    text = f"one result changes the smooth S by a factor of at most e^β (largest share of β, {pairs} pairs)"
    yield at_most("s5.5-ratio", SECTION, text, limit=1.0, measured=ratio, tolerance=ROUNDING, **PRIVACY)


def _deltas(rows: pd.DataFrame) -> Iterator[Claim]:
    rows = rows[rows["mechanism"] == said.SMOOTH]
    share = float((rows["delta_true"] / rows["delta"]).max())
    text = "k means with medians of blocks and noise by smooth sensitivity is (ε, δ)-private (largest true δ over δ)"
    yield at_most("s5.5-private", NISSIM, text, limit=1.0, measured=share, **PRIVACY)
    text = "of that δ at most a fiftieth is ever spent, at every ε and data set here"
    yield at_most("delta-idle", OURS, text, limit=0.02, measured=share, evidence=EXACT, ours=True)


def _useful(rows: pd.DataFrame) -> Claim:
    """Some accuracy is bought by more ε."""
    text = (
        "sample-and-aggregate approximates k means: on planted clusters, from starts at 3/5 of their true centres, "
        "with the most blocks and at the largest ε, both forms lose less than half of what they lose at the least ε "
        f"(largest share, by {STANDARD_ERRORS:g} standard errors of both)"
    )
    mine = rows[(rows["dataset"] == said.PLANTED) & rows["mechanism"].isin(said.BLOCKS)]
    mine = mine[mine["blocks"] == mine["blocks"].max()]
    if mine["repeats"].min() < FEW:
        return untestable("s5.5-approximates", SECTION, text, f"there are fewer than {FEW} repeats", ours=True)
    if mine["epsilon"].nunique() < 2 or mine["epsilon"].max() < 1:
        return untestable("s5.5-approximates", SECTION, text, "only one ε, or none of 1 or more", ours=True)
    curves = (part.sort_values("epsilon", kind="stable") for _, part in mine.groupby("mechanism"))
    shares = [remaining(curve, "loss_ratio", 1.0, STANDARD_ERRORS) for curve in curves]
    return surely_at_most("s5.5-approximates", SECTION, text, ends=shares, limit=LESS_THAN_HALF, ours=True)


def _modern(rows: pd.DataFrame, params: Mapping[str, Any]) -> Iterator[Claim]:
    """Each noisy Lloyd against the best of the blocks' forms of any number of blocks."""
    key = ["dataset", "epsilon"]
    noisy = rows.loc[rows["epsilon"].notna(), [*key, "mechanism", "loss_ratio", "standard_error"]]
    for name, mechanism, others in (
        ("modern-pure", said.PURE, (said.MEAN,)),
        ("modern-gaussian", said.GAUSSIAN, said.BLOCKS),
    ):
        text = (
            f"{mechanism} is at least as good as every number of blocks by {' or '.join(others)}, at every ε, from the "
            f"same starts (planted: at 3/5 of the true centres; blocks ordered along a direction)"
        )
        if params["repeats"] < FEW:
            yield untestable(name, OURS, text, f"there are fewer than {FEW} repeats", ours=True)
            continue
        both = noisy[noisy["mechanism"].isin(others)].merge(
            noisy[noisy["mechanism"] == mechanism], on=key, how="left", suffixes=("", "_mine"), validate="many_to_one"
        )
        slack = STANDARD_ERRORS * np.hypot(both["standard_error_mine"], both["standard_error"])
        worse = int((~(both["loss_ratio_mine"] - both["loss_ratio"] <= slack)).sum())
        yield never(name, OURS, text, violations=worse, cases=len(both), evidence=REAL_DATA, ours=True)


def _mixes(rows: pd.DataFrame) -> Claim:
    """The gain of the generic direction is the least one over the numbers of blocks."""
    text = (
        "in order along one coordinate, the planted clusters, which tie in it, mix: without any noise the mean of the "
        "blocks' centres loses so many times what it loses in order along a generic direction (least over the numbers "
        f"of blocks, by {STANDARD_ERRORS:g} standard errors of both)"
    )
    mixed, good = (rows[rows["mechanism"] == order].set_index("blocks") for order in (said.COORDINATE, said.GENERIC))
    below, above = (
        some["loss_ratio"] + sign * STANDARD_ERRORS * some["standard_error"]
        for some, sign in ((mixed, -1.0), (good, 1.0))
    )
    return at_least("order-mixes", OURS, text, limit=MIXED, measured=float((below / above).min()), ours=True)
