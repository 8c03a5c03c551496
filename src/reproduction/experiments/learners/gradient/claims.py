"""What the review's section 5.9 says of noisy gradients, and what accountants say of each other.

Comparisons of means allow SURE combined standard errors: a true statement about K pairs fails with probability 2e-9 K.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, REAL_DATA, Claim, Marks, agrees, at_least, at_most, never, untestable
from reproduction.experiments.learners import gradient as said

EVIDENCE = EXACT

SECTION = "DP review 2019 section 5.9"
MOMENTS = "Abadi et al. 2016, as commonly stated"
OURS = "ours, after McMahan et al. 2018"
PRINTED_MOMENTS = 1.26  # of q = .01, σ = 4, 10⁴ steps, δ = 1e-5
PRINTED_DELTA = 1e-5
ROUNDING, ROUNDED = 1e-9, 0.005
OF_FINE_GRIDS = {"s5.9-noise", "near", "one-step", "ordered", "limit"}
SURE = 6.0
FINE = 1e-3  # of privacy losses: a coarser grid says clearly too much, and shows nothing of what these claims are about
MARKS: Marks = {"evidence": REAL_DATA, "ours": True}
FEW = 10  # runs; with fewer, a mean over its standard error is not close to normal


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """The words, the accountants, the errors."""
    accounts = table[table["view"] == said.ACCOUNTED]
    trained = table[table["view"] == said.TRAINED]
    keys = zip(accounts["dataset"], accounts["accountant"], accounts["relation"], strict=True)
    told = dict(zip(keys, accounts["epsilon"].astype(float), strict=True))
    judged = [*_words(told, accounts), *_accountants(told)]
    if params["interval"] > FINE:
        reason = f"privacy losses are counted on a grid of {params['interval']:g}, which is coarser than {FINE:g}"
        judged = [
            untestable(c.id, c.source, c.statement, reason, ours=c.ours) if c.id in OF_FINE_GRIDS else c for c in judged
        ]
    return [*judged, *_printed(told, params), *_errors(trained)]


Told = dict[tuple[str, str, str], float]


def _of(told: Told, accountant: str, relation: str = said.ADDED) -> dict[str, float]:
    """ε of each setting."""
    return {name: epsilon for (name, by, how), epsilon in told.items() if by == accountant and how == relation}


def _words(told: Told, accounts: pd.DataFrame) -> list[Claim]:
    """Noise on each gradient is private, and costs B times the variance."""
    each, summed = _of(told, said.EACH), _of(told, said.LOSSES)
    batches = accounts.groupby("dataset")["batch"].first().to_dict()
    spent = f"ε = {each[said.IMAGES]:.4g} for {summed[said.IMAGES]:.4g} with batches of {batches[said.IMAGES]}"
    return [
        never(
            "s5.9",
            SECTION,
            "noise on each clipped gradient, which then are averaged, is private: it spends no more than the same "
            f"noise once on their sum ({spent})",
            violations=sum(each[name] > summed[name] for name in each),
            cases=len(each),
            of_privacy=True,
        ),
        at_most(
            "s5.9-noise",
            OURS,
            "B draws of noise for one are noise for an ε that is at least √B times smaller (largest ratio to that)",
            limit=1.0,
            measured=max(each[name] * math.sqrt(batches[name]) / summed[name] for name in each),
            ours=True,
        ),
    ]


def _accountants(told: Told) -> list[Claim]:
    added, replaced = _of(told, said.LOSSES), _of(told, said.LOSSES, said.REPLACED)
    inside = [
        (epsilon, _of(told, said.LOWER, how)[name], _of(told, said.UPPER, how)[name])
        for how in (said.ADDED, said.REPLACED)
        for name, epsilon in _of(told, said.LOSSES, how).items()
        if name != said.ONE_STEP
    ]
    exact = [
        (_of(told, said.LOSSES, how)[said.ONE_STEP], _of(told, said.DENSITIES, how)[said.ONE_STEP])
        for how in (said.ADDED, said.REPLACED)
    ]
    renyi, moments, limit, public = (_of(told, by) for by in (said.RENYI, said.MOMENTS, said.LIMIT, said.PUBLIC))
    order = [
        value
        for name in renyi
        for value in (renyi[name] - added[name], moments[name] - renyi[name], public[name] - moments[name])
    ]
    return [
        never(
            "above",
            OURS,
            "no accountant that promises says less than the lower end of a bracket of another make",
            violations=sum(epsilon < low for epsilon, low, _ in inside)
            + sum(value < _of(told, said.LOWER)[name] for by in (renyi, moments, public) for name, value in by.items()),
            cases=len(inside) + 3 * len(renyi),
            ours=True,
        ),
        at_most(
            "near",
            OURS,
            "privacy losses on a grid say hardly more than the bracket's upper end (largest excess)",
            limit=0.0,
            measured=max(epsilon - high for epsilon, _, high in inside),
            tolerance=ROUNDED,
            ours=True,
        ),
        agrees(
            "one-step",
            OURS,
            "of one step they say what its densities have (largest difference)",
            expected=0.0,
            measured=max(abs(a - b) for a, b in exact),
            tolerance=ROUNDED,
            ours=True,
        ),
        never(
            "one-step-above",
            OURS,
            "and not less than the densities",
            violations=sum(a < b - ROUNDING for a, b in exact),
            cases=len(exact),
            ours=True,
        ),
        never(
            "ordered",
            OURS,
            "privacy losses say less than Rényi divergence, that less than moments, and those less than batches that "
            "are not amplified",
            violations=sum(value < 0.0 for value in order),
            cases=len(order),
            ours=True,
        ),
        never(
            "replaced",
            OURS,
            "a record replaced costs no less than one removed, which is one replaced by nothing",
            violations=sum(replaced[name] < added[name] for name in renyi),
            cases=len(renyi),
            ours=True,
        ),
        at_most(
            "limit",
            OURS,
            "the Gaussian limit of many steps is no promise: somewhere it is below the bracket (least difference)",
            limit=0.0,
            measured=min(limit[name] - low for name, low in _of(told, said.LOWER).items()),
            ours=True,
        ),
    ]


def _printed(told: Told, params: Mapping[str, Any]) -> list[Claim]:
    text = "the moments accountant has ε = 1.26 at q = .01, σ = 4 and 10 000 steps"
    if params["delta"] != PRINTED_DELTA:
        return [untestable("moments", MOMENTS, text, f"it is for δ = {PRINTED_DELTA:g}")]
    found = told[said.PAPER, said.MOMENTS, said.ADDED]
    return [agrees("moments", MOMENTS, text, expected=PRINTED_MOMENTS, measured=found, tolerance=ROUNDED)]


def _errors(rows: pd.DataFrame) -> list[Claim]:
    """Of noise on the sum, against noise on each and against none."""
    worse = (
        "noise of the same σ on each gradient surely errs more than on the sum, at some ε (standard errors, largest)"
    )
    never_less = f"and at none it surely errs less, by {SURE:g} standard errors"
    free = "at the largest ε the error is within 6 standard errors and .005 of that without noise (largest difference)"
    if rows.loc[rows["method"] == said.SUM, "repeats"].min() < FEW:
        reason = f"there are fewer than {FEW} runs"
        told = {"words-err": worse, "words-err-always": never_less, "free": free}
        return [untestable(name, OURS, text, reason, **MARKS) for name, text in told.items()]
    sums, each = _means(rows, said.SUM), _means(rows, said.EACH_GRADIENT)
    plain = {batch: mean for (batch, _), mean in _means(rows, said.PLAIN).items()}
    apart = [(mean[0] - sums[at][0]) / math.hypot(mean[1], sums[at][1]) for at, mean in each.items()]
    top = max(epsilon for _, epsilon in sums)
    gaps = [
        sums[batch, top][0] - mean[0] - SURE * math.hypot(sums[batch, top][1], mean[1])
        for batch, mean in plain.items()
        if (batch, top) in sums
    ]
    return [
        at_least("words-err", OURS, worse, limit=SURE, measured=max(apart), **MARKS),
        never(
            "words-err-always", OURS, never_less, violations=sum(z < -SURE for z in apart), cases=len(apart), **MARKS
        ),
        at_most("free", OURS, free, limit=0.0, measured=max(gaps), tolerance=ROUNDED, **MARKS),
    ]


def _means(rows: pd.DataFrame, method: str) -> dict[tuple[int, float], tuple[float, float]]:
    """Errors with their standard errors, by batch and ε."""
    mine = rows[rows["method"] == method]
    keys = zip(mine["batch"].astype(int), mine["epsilon"].astype(float), strict=True)
    return dict(
        zip(keys, zip(mine["error"].astype(float), mine["standard_error"].astype(float), strict=True), strict=True)
    )
