"""What NIPS 2017 section 5.2 and supplement A.8 say of private classifiers, and what their published points say.

A mean of m draws has standard error sd/√m. One of our own means is clearly below another by 4 of the combined standard
errors: of K pairs of equal means one or more are told apart with probability below 6.4e-5·K. That one mechanism is
always the better holds if it clearly is in every setting, fails if in any it is clearly the worse or the same in every
draw, and is undecided else.

A published point may differ by NEAR and by 3 combined standard errors of the draws; every one that differs by more is
named, with its size. Where rows are split at random, the paper's split is not told, and curves move from split to split
by more than the errors of the draws: agreement says something, and disagreement nothing. Where the posterior without
privacy is off itself, the published split is another one for certain.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import pandas as pd

from dpsampling.learners.logistic import names
from reproduction.claims import PUBLISHED_POINTS, REAL_DATA, THIS_FIGURE, Claim, Marks, agrees, never, untestable
from reproduction.experiments.logistic import published
from reproduction.experiments.logistic.text import called

EVIDENCE = REAL_DATA

SECTION = "NIPS 2017 supplement A.8"
STANDARD_ERRORS, ROUNDING = 4.0, 1e-12
NEAR, PUBLISHED_ERRORS = 0.01, 3.0
TRUE_POSTERIOR = 0.005  # far beyond 3 standard errors of 50 draws, and within what one split differs from another
MARKS: Marks = {"evidence": PUBLISHED_POINTS, "ours": True}  # how near is near is our reading
FEW = 20  # draws; with fewer, a mean over its standard error is not close to normal
FEW_DRAWS = f"there are fewer than {FEW} draws"
PROPOSALS = (names.DIFFUSED, names.CONCENTRATED)
WORDS = {names.ERROR: "test error", names.NLL: "negative log-likelihood"}


class Mean(NamedTuple):
    """A mean and its standard error."""

    mean: float
    error: float


Key = tuple[str, float, str, float]
Means = dict[Key, Mean]


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """Rankings, the effect of the order, and the published points."""
    ours = _means(table, int(params["repeats"]))
    found = [*_rankings(ours, _undistorted(table), params), _orders(ours, params)]
    if params["score"] == names.ERROR:
        found += _published(ours, params)
    return found


def _means(table: pd.DataFrame, repeats: int) -> Means:
    return {
        (dataset, order, mechanism, round(log_epsilon, 6)): Mean(mean, sd / math.sqrt(repeats))
        for dataset, order, mechanism, log_epsilon, mean, sd in table[list(published.COLUMNS)].itertuples(index=False)
    }


def _undistorted(table: pd.DataFrame) -> frozenset[Key]:
    """Where a mechanism is the posterior itself: its weight 1 and its precision that of the direct one."""
    prior = table[table["mechanism"] == names.DIRECT].groupby("dataset")["precision"].first()
    same = (table["weight"] == 1.0) & (table["precision"] == table["dataset"].map(prior))
    points = table.loc[same, ["dataset", "order", "mechanism", "log_epsilon"]].itertuples(index=False)
    return frozenset((dataset, order, mechanism, round(level, 6)) for dataset, order, mechanism, level in points)


def _rankings(ours: Means, as_it_is: frozenset[Key], params: Mapping[str, Any]) -> Iterator[Claim]:
    what = WORDS[params["score"]]
    levels = sorted({log_epsilon for _, _, _, log_epsilon in ours})
    doubled = {a: b for a, b in pairwise(levels) if b - a >= math.log(2.0)}
    same = {level: level for level in levels}

    def pairs(better: tuple[str, ...], worse: str, at: Mapping[float, float]) -> list[tuple[Mean, Mean]]:
        """Of settings in which the two are not both the posterior itself."""
        return [
            (mine, ours[other])
            for (dataset, order, mechanism, level), mine in ours.items()
            if mechanism in better and level in at
            for other in [(dataset, order, worse, at[level])]
            if not {(dataset, order, mechanism, level), other} <= as_it_is
        ]

    text = f"both proposals have a smaller {what} than OPS, at every ε, λ and data set"
    yield _always("ops", SECTION, text, pairs(PROPOSALS, names.OPS, same), params)
    text = (
        f"they also have a smaller {what} than OPS with twice the published ρ, which is ε-DP too and what it is at 2ε "
        "(the next ε of the grid is looked at, which is larger)"
    )
    source = "ours, after NIPS 2017 section 5.2"
    yield _always("ops-tight", source, text, pairs(PROPOSALS, names.OPS, doubled), params, ours=True)
    text = f"the diffused posterior always has a smaller {what} than the concentrated one, where the two differ"
    against = pairs((names.DIFFUSED,), names.CONCENTRATED, same)
    yield _always("diffused", SECTION, text, against, params)
    text = f"the diffused posterior has nowhere clearly a larger {what} than the concentrated one"
    if params["repeats"] < FEW:
        yield untestable("diffused-not-worse", SECTION, text, FEW_DRAWS, ours=True)
        return
    above = sum(_above(a, b) for a, b in against)
    yield never("diffused-not-worse", SECTION, text, violations=above, cases=len(against), ours=True)


def _always(
    name: str, source: str, text: str, cases: list[tuple[Mean, Mean]], params: Mapping[str, Any], *, ours: bool = False
) -> Claim:
    """Judge whether the first of each pair is clearly the smaller one; undecided where some are within the noise."""
    if params["repeats"] < FEW:
        return untestable(name, source, text, FEW_DRAWS, ours=ours)
    better, worse, same = (sum(each(a, b) for a, b in cases) for each in (_below, _above, _same))
    if better + worse + same < len(cases) and not worse + same:
        reason = f"{len(cases) - better} of {len(cases)} settings are within the noise of the draws"
        return untestable(name, source, text, reason, ours=ours)
    text = f"{text} (it clearly is in {better} settings, clearly not in {worse}, and {same} are the same in every draw)"
    return never(name, source, text, violations=worse + same, cases=len(cases), ours=ours)


def _orders(ours: Means, params: Mapping[str, Any]) -> Claim:
    """A larger order asks for more, so that the draws are worse."""
    text = f"the {WORDS[params['score']]} of the proposals grows with λ: it nowhere clearly falls"
    if params["repeats"] < FEW:
        return untestable("order", SECTION, text, FEW_DRAWS, ours=True)
    orders = sorted({order for _, order, _, _ in ours})
    cases = [
        (ours[dataset, low, mechanism, log_epsilon], ours[dataset, high, mechanism, log_epsilon])
        for low, high in pairwise(orders)
        for dataset, order, mechanism, log_epsilon in ours
        if order == low and mechanism in PROPOSALS
    ]
    rises, falls = sum(_below(a, b) for a, b in cases), sum(_above(a, b) for a, b in cases)
    text = f"{text}, and clearly grows in {rises} of {len(cases)} steps"
    return never("order", SECTION, text, violations=falls + (not rises), cases=len(cases), ours=True)


def _above(a: Mean, b: Mean) -> bool:
    """Tell whether a is above b by more than noise."""
    return a.mean - b.mean > STANDARD_ERRORS * math.hypot(a.error, b.error) + ROUNDING


def _below(a: Mean, b: Mean) -> bool:
    return _above(b, a)


def _same(a: Mean, b: Mean) -> bool:
    """Equal in every draw, as two classifiers are that always name one class."""
    return abs(a.mean - b.mean) <= ROUNDING and max(a.error, b.error) <= ROUNDING


def _published(ours: Means, params: Mapping[str, Any]) -> Iterator[Claim]:
    reason = published.why_not(params)
    if params["repeats"] < FEW and not reason:
        reason = FEW_DRAWS
    if reason:
        yield untestable("published", THIS_FIGURE, "the published points are those of exact draws", reason, **MARKS)
        return
    theirs = {
        (dataset, order, mechanism, log_epsilon): Mean(mean, sd / math.sqrt(published.REPEATS))
        for dataset, order, mechanism, log_epsilon, mean, sd in published.points(params).itertuples(index=False)
    }
    both = {key: (ours[key], mean) for key, mean in theirs.items() if key in ours}
    yield from _true_posteriors(both)
    curves: dict[tuple[str, float, str], list[Key]] = {}
    for key in both:
        curves.setdefault(key[:3], []).append(key)
    elsewhere = _on_another_split(both)
    for (dataset, order, mechanism), keys in curves.items():
        missed = [key for key in keys if not _near(*both[key])]
        name = f"published-{dataset}-{order:g}-{mechanism}"
        text = (
            f"the published points of {mechanism} on {called(dataset)} at λ = {order:g} are those of exact draws, "
            f"within {NEAR:g} and {PUBLISHED_ERRORS:g} standard errors"
        )
        if dataset in elsewhere:
            less = f"{elsewhere[dataset]:.4f} less often; {len(missed)} of {len(keys)} differ"
            reason = f"they are of another split, on which the posterior itself errs {less}"
            yield untestable(name, THIS_FIGURE, text, reason, **MARKS)
            continue
        off = ", ".join(f"{both[key][0].mean - both[key][1].mean:+.4f} at ln ε = {key[3]:g}" for key in missed)
        if missed and dataset not in published.OWN_SPLIT:
            reason = (
                f"{len(missed)} of {len(keys)} differ ({off}), but the paper's split is not told, and from "
                "split to split curves move by more than the draws' errors"
            )
            yield untestable(name, THIS_FIGURE, text, reason, **MARKS)
            continue
        text = f"{text} (off: {off})" if missed else text
        yield never(name, THIS_FIGURE, text, violations=len(missed), cases=len(keys), **MARKS)


def _on_another_split(both: dict[Key, tuple[Mean, Mean]]) -> dict[str, float]:
    """The data sets whose posterior without privacy errs otherwise than was published, and by how much more often."""
    off = {key[0]: mine.mean - printed.mean for key, (mine, printed) in both.items() if key[2] == names.DIRECT}
    return {dataset: difference for dataset, difference in off.items() if difference > TRUE_POSTERIOR}


def _true_posteriors(both: dict[Key, tuple[Mean, Mean]]) -> Iterator[Claim]:
    """Of each data set once: every published panel repeats it."""
    seen = {key[0]: pair for key, pair in both.items() if key[2] == names.DIRECT}
    for dataset, (mine, printed) in seen.items():
        name = f"true-posterior-{dataset}"
        text = f"the error of the posterior without privacy on {called(dataset)}"
        if dataset not in published.OWN_SPLIT and abs(mine.mean - printed.mean) > TRUE_POSTERIOR:
            reason = f"on this split it is {mine.mean:.4f}, not {printed.mean:g}; the paper's split is not told"
            yield untestable(name, THIS_FIGURE, text, reason, **MARKS)
            continue
        means = {"expected": printed.mean, "measured": mine.mean}
        yield agrees(name, THIS_FIGURE, text, **means, tolerance=TRUE_POSTERIOR, **MARKS)


def _near(mine: Mean, printed: Mean) -> bool:
    return abs(mine.mean - printed.mean) <= NEAR + PUBLISHED_ERRORS * math.hypot(mine.error, printed.error)
