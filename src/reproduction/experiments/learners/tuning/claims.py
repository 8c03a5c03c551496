"""What tuning spends, and whether it is worth it.

Comparisons of means allow SURE combined standard errors: a true statement about K pairs fails with probability 2e-9 K.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, MONTE_CARLO, Claim, ahead, at_least, never, untestable
from reproduction.experiments.learners import tuning as said

EVIDENCE = MONTE_CARLO

PAPERS = "Liu and Talwar 2019, as commonly stated"
CURVES = "Papernot and Steinke 2022, as commonly stated"
OURS = "ours, after Papernot and Steinke 2022"
TIMES = 3.0
ROUNDING = 1e-9
SURE = 6.0
MANY, FEW = 1e-6, 20  # γ at which 3ε is as good as reached; repeats below which a mean is not close to normal


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """Prices, then errors."""
    searched, exact, trained = (table[table["view"] == v] for v in (said.SEARCHED, said.ENUMERATED, said.TRAINED))
    return [*_pure(searched), _curves(exact), *_errors(trained, params)]


def _pure(rows: pd.DataFrame) -> Iterator[Claim]:
    times = rows["epsilon_total"] / rows["epsilon_run"]
    most, pairs = float(times.max()), int(rows["repeats"].sum())
    text = f"the best of geometrically many ε-DP runs is 3ε-DP ({pairs} pairs of three outcomes)"
    above = int((times > TIMES * (1.0 + ROUNDING)).sum())
    yield never("three", PAPERS, text, violations=above, cases=len(rows), of_privacy=True)
    text = "the best of many ε-DP runs spends nearly 3ε (largest found, in ε)"
    if rows["gamma"].min() <= MANY:
        yield at_least("three-reached", OURS, text, limit=TIMES, measured=most, tolerance=0.01, ours=True)
    else:
        yield untestable("three-reached", OURS, text, "no γ of this table is as small as that takes", ours=True)


def _curves(rows: pd.DataFrame) -> Claim:
    share = (rows["epsilon_total"] / rows["bound"]).max()
    text = (
        "the best of geometrically many runs has at most ε(λ) + 2(1 − 1/λ̂)ε(λ̂) + 2 ln(1/γ)/λ̂ + ln(1/γ)/(λ − 1) "
        f"(of two finite pairs; at most {share:.3f} of it is spent)"
    )
    above = int((rows["epsilon_total"] > rows["bound"] * (1.0 + ROUNDING)).sum())
    return never("renyi", CURVES, text, violations=above, cases=len(rows), evidence=EXACT, of_privacy=True)


def _errors(rows: pd.DataFrame, params: Mapping[str, Any]) -> Iterator[Claim]:
    spent, text = rows[rows["mechanism"] == said.FREE], "taken for free, what is said to cost ε costs more"
    text, ratio = f"{text} (least ratio of what it spends)", float((spent["epsilon_total"] / spent["bound"]).min())
    yield at_least("free-spends", OURS, text, limit=1.0, measured=ratio, evidence=EXACT, ours=True)
    worth = "tuning at its full price errs less than a length taken at random (mean over all ε, in standard errors)"
    known = f"it never errs less, by {SURE:g} standard errors, than the best one, were it known without asking the data"
    if params["repeats"] < FEW:
        reason = f"there are fewer than {FEW} runs"
        yield untestable("worth", OURS, worth, reason, ours=True)
        yield untestable("known", OURS, known, reason, ours=True)
        return
    columns = ["mechanism", "bound", "error", "standard_error"]
    means = {(name, bound): (mean, error) for name, bound, mean, error in rows[columns].itertuples(index=False)}
    levels = sorted({bound for _, bound in means})
    gains = [means[said.UNTUNED, e][0] - means[said.TUNED, e][0] for e in levels]
    squares = [means[name, e][1] ** 2 for e in levels for name in (said.TUNED, said.UNTUNED)]
    yield ahead("worth", OURS, worth, errors=sum(gains) / math.sqrt(sum(squares)), sure=SURE, ours=True)
    below = sum(_below(means[said.TUNED, e], means[said.BEST, e]) for e in levels)
    yield never("known", OURS, known, violations=below, cases=len(levels), ours=True)


def _below(first: tuple[float, float], second: tuple[float, float]) -> bool:
    """Tell whether the first mean is below the second by more than noise."""
    return second[0] - first[0] > SURE * math.hypot(first[1], second[1])
