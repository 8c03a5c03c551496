"""What the review's section 5.9 says of noisy gradients, and what accountants say of each other.

Comparisons of means allow SURE combined standard errors: a true statement about K pairs fails with probability 2e-9 K.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import pairwise
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
    spent = dict(zip(keys, accounts["epsilon"].astype(float), strict=True))
    judged = [*_words(spent, accounts), *_accountants(spent)]
    if params["interval"] > FINE:
        reason = f"privacy losses are counted on a grid of {params['interval']:g}, which is coarser than {FINE:g}"
        judged = [
            untestable(c.id, c.source, c.statement, reason, ours=c.ours) if c.id in OF_FINE_GRIDS else c for c in judged
        ]
    return [*judged, _printed(spent, params), *_errors(trained)]


Spent = dict[tuple[str, str, str], float]


def _of(spent: Spent, accountant: str, relation: str = said.ADDED) -> dict[str, float]:
    """Return the ε of each setting."""
    return {name: epsilon for (name, by, how), epsilon in spent.items() if by == accountant and how == relation}


def _words(spent: Spent, accounts: pd.DataFrame) -> Iterator[Claim]:
    """Noise on each gradient is private, and costs B times the variance."""
    each, summed = _of(spent, said.EACH), _of(spent, said.LOSSES)
    batches = accounts.groupby("dataset")["batch"].first().to_dict()
    text = (
        "noise on each clipped gradient, which then are averaged, is private: it spends no more than the same "
        f"noise once on their sum (ε = {each[said.IMAGES]:.4g} for {summed[said.IMAGES]:.4g} with batches of "
        f"{batches[said.IMAGES]})"
    )
    violations = sum(each[name] > summed[name] for name in each)
    yield never("s5.9", SECTION, text, violations=violations, cases=len(each), of_privacy=True)
    text = "B draws of noise for one are noise for an ε that is at least √B times smaller (largest ratio to that)"
    ratio = max(each[name] * math.sqrt(batches[name]) / summed[name] for name in each)
    yield at_most("s5.9-noise", OURS, text, limit=1.0, measured=ratio, ours=True)


def _accountants(spent: Spent) -> Iterator[Claim]:
    added, replaced = _of(spent, said.LOSSES), _of(spent, said.LOSSES, said.REPLACED)
    low = _of(spent, said.LOWER)
    inside = [
        (epsilon, spent[name, said.LOWER, how], spent[name, said.UPPER, how])
        for how in (said.ADDED, said.REPLACED)
        for name, epsilon in _of(spent, said.LOSSES, how).items()
        if name != said.ONE_STEP
    ]
    one_step = [
        (spent[said.ONE_STEP, said.LOSSES, how], spent[said.ONE_STEP, said.DENSITIES, how])
        for how in (said.ADDED, said.REPLACED)
    ]
    renyi, moments, limit, public = (_of(spent, by) for by in (said.RENYI, said.MOMENTS, said.LIMIT, said.PUBLIC))
    steps = [pair for name in renyi for pair in pairwise(by[name] for by in (added, renyi, moments, public))]
    text = "no accountant that promises says less than the lower end of a bracket of another make"
    too_low = sum(epsilon < least for epsilon, least, _ in inside)
    too_low += sum(epsilon < low[name] for by in (renyi, moments, public) for name, epsilon in by.items())
    yield never("above", OURS, text, violations=too_low, cases=len(inside) + 3 * len(renyi), ours=True)
    text = "privacy losses on a grid say hardly more than the bracket's upper end (largest excess)"
    excess = max(epsilon - high for epsilon, _, high in inside)
    yield at_most("near", OURS, text, limit=0.0, measured=excess, tolerance=ROUNDED, ours=True)
    text = "of one step they say what its densities have (largest difference)"
    off = max(abs(a - b) for a, b in one_step)
    yield agrees("one-step", OURS, text, expected=0.0, measured=off, tolerance=ROUNDED, ours=True)
    text, less = "and not less than the densities", sum(a < b - ROUNDING for a, b in one_step)
    yield never("one-step-above", OURS, text, violations=less, cases=len(one_step), ours=True)
    text = (
        "privacy losses say less than Rényi divergence, that less than moments, and those less than batches that "
        "are not amplified"
    )
    yield never("ordered", OURS, text, violations=sum(b - a < 0.0 for a, b in steps), cases=len(steps), ours=True)
    text = "a record replaced costs no less than one removed, which is one replaced by nothing"
    cheaper = sum(replaced[name] < added[name] for name in renyi)
    yield never("replaced", OURS, text, violations=cheaper, cases=len(renyi), ours=True)
    text = "the Gaussian limit of many steps is no promise: somewhere it is below the bracket (least difference)"
    yield at_most("limit", OURS, text, limit=0.0, measured=min(limit[name] - low[name] for name in low), ours=True)


def _printed(spent: Spent, params: Mapping[str, Any]) -> Claim:
    text = "the moments accountant has ε = 1.26 at q = .01, σ = 4 and 10 000 steps"
    if params["delta"] != PRINTED_DELTA:
        return untestable("moments", MOMENTS, text, f"it is for δ = {PRINTED_DELTA:g}")
    epsilon = spent[said.PAPER, said.MOMENTS, said.ADDED]
    return agrees("moments", MOMENTS, text, expected=PRINTED_MOMENTS, measured=epsilon, tolerance=ROUNDED)


def _errors(rows: pd.DataFrame) -> list[Claim]:
    """Of noise on the sum, against noise on each and against none."""
    worse = (
        "noise of the same σ on each gradient surely errs more than on the sum, at some ε (standard errors, largest)"
    )
    never_less = f"and at none it surely errs less, by {SURE:g} standard errors"
    free = "at the largest ε the error is within 6 standard errors and .005 of that without noise (largest difference)"
    if rows.loc[rows["method"] == said.SUM, "repeats"].min() < FEW:
        reason = f"there are fewer than {FEW} runs"
        texts = {"words-err": worse, "words-err-always": never_less, "free": free}
        return [untestable(name, OURS, text, reason, **MARKS) for name, text in texts.items()]
    sums, each = _means(rows, said.SUM), _means(rows, said.EACH_GRADIENT)
    plain = {batch: mean for (batch, _), mean in _means(rows, said.PLAIN).items()}
    apart = [(mean[0] - sums[at][0]) / math.hypot(mean[1], sums[at][1]) for at, mean in each.items()]
    less, top = sum(z < -SURE for z in apart), max(epsilon for _, epsilon in sums)
    gaps = [
        sums[batch, top][0] - mean[0] - SURE * math.hypot(sums[batch, top][1], mean[1])
        for batch, mean in plain.items()
        if (batch, top) in sums
    ]
    return [
        at_least("words-err", OURS, worse, limit=SURE, measured=max(apart), **MARKS),
        never("words-err-always", OURS, never_less, violations=less, cases=len(apart), **MARKS),
        at_most("free", OURS, free, limit=0.0, measured=max(gaps), tolerance=ROUNDED, **MARKS),
    ]


def _means(rows: pd.DataFrame, method: str) -> dict[tuple[int, float], tuple[float, float]]:
    """Return errors with their standard errors, by batch and ε."""
    mine = rows.loc[rows["method"] == method, ["batch", "epsilon", "error", "standard_error"]].astype(float)
    return {(int(batch), epsilon): (mean, error) for batch, epsilon, mean, error in mine.to_numpy().tolist()}
