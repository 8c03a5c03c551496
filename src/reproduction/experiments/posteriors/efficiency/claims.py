"""Lemma 1, Theorems 4 and 5, and Remark 1, at finite numbers of records and in their limits.

A mean of `repeats` draws is allowed 4 standard errors, so that a true statement about K means fails with probability
below 6.4e-5·K. The Beta-Bernoulli system is judged by exact expectations, the Dirichlet-Categorical one by its means;
what either may still be from its limit is a bound that vanishes like 1/N (`beyond`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, MONTE_CARLO, Claim, Marks, agrees, at_most, untestable
from reproduction.experiments.posteriors.closed_form import beyond, temperature
from reproduction.experiments.posteriors.efficiency import CATEGORICAL, DRAWS_A_DATA_SET

EVIDENCE = MONTE_CARLO

SECTION = "thesis section 4.3.3"
STANDARD_ERRORS = 4.0
FEW = 100  # repeats, below which a mean over its standard error is not close to normal
FAR = "the N of this table are not large enough for its noise, its window or its repeats"
Cells = dict[tuple[str, str, int], tuple[float, float]]


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """Agreement with exact finite-n values, and the limits."""
    sizes = sorted(int(n) for n in table["n"].unique())
    rows = {
        (str(q), str(m), int(n)): (value, sem) if math.isnan(exact) else (exact, 0.0)
        for q, m, n, value, sem, exact in table.itertuples(index=False)
    }
    t = {k: temperature(params["truncation"], params["epsilon"], k) for k in (2, len(params["probabilities"]))}
    hot, hot_categorical = 1.0 + t[2], 1.0 + t[len(params["probabilities"])]
    limits = {
        ("laplace", "thesis Theorem 4"): 2.0,
        ("laplace-mean", "thesis Remark 1"): 1.0,
        ("ops", "thesis Theorem 5"): hot,
        ("posterior", SECTION): 2.0,
        ("laplace-categorical", "thesis Theorem 4"): 2.0,
        ("laplace-mean-categorical", "thesis Remark 1"): 1.0,
        ("ops-categorical", "thesis Theorem 5"): hot_categorical,
    }
    return [
        _exact(table, int(params["repeats"])),
        *(_limit(rows, sizes, mechanism, where, limit, params) for (mechanism, where), limit in limits.items()),
        _ratio(rows, sizes, hot / 2.0, params),
        *(_rate(rows, sizes, mechanism, params) for mechanism in ("laplace", "laplace-categorical")),
    ]


def _exact(table: pd.DataFrame, repeats: int) -> Claim:
    known = table[table["exact"].notna()]
    text = f"{len(known)} means of {repeats} draws agree with exact expectations"
    if repeats < FEW:
        return untestable("exact", SECTION, text, f"there are fewer than {FEW} repeats", ours=True)
    worst = float(((known["value"] - known["exact"]).abs() / known["sem"]).max())
    text = f"{text} (largest deviation in standard errors)"
    return at_most("exact", SECTION, text, limit=STANDARD_ERRORS, measured=worst, ours=True)


def _evidence(mechanism: str) -> str:
    return MONTE_CARLO if mechanism.endswith(CATEGORICAL) else EXACT


def _truth(mechanism: str, params: Mapping[str, Any]) -> list[float]:
    return params["probabilities"] if mechanism.endswith(CATEGORICAL) else [params["p"], 1.0 - params["p"]]


def _information(n: int, mechanism: str, params: Mapping[str, Any]) -> float:
    return float(n * min(p * (1.0 - p) for p in _truth(mechanism, params)))


def _hotness(mechanism: str, params: Mapping[str, Any]) -> float:
    if not mechanism.startswith("ops"):
        return 1.0
    return temperature(params["truncation"], params["epsilon"], len(_truth(mechanism, params)))


def _settled(n: int, mechanism: str, params: Mapping[str, Any]) -> bool:
    """Tell if n is so large that the expansion in 1/n holds: for the noise, the window and the repeats."""
    information, t = _information(n, mechanism, params), _hotness(mechanism, params)
    enough = FEW if not mechanism.startswith("ops-") else 20 * DRAWS_A_DATA_SET
    if mechanism.endswith(CATEGORICAL) and params["repeats"] < enough:
        return False
    if not mechanism.startswith("ops"):
        return information >= 800.0 / params["epsilon"] ** 2
    room = min(_truth(mechanism, params)) - params["truncation"]
    return information >= 1000.0 * t and room > 6.0 * math.sqrt((1.0 + t) / (4.0 * n))


def _limit(rows: Cells, sizes: list[int], mechanism: str, where: str, limit: float, params: Mapping[str, Any]) -> Claim:
    """The value at the largest n, within Monte-Carlo error and what n not being infinite costs."""
    name, text, n = f"limit-{mechanism}", f"the relative efficiency of {mechanism} tends to {limit:.4g}", sizes[-1]
    evidence = _evidence(mechanism)
    if not _settled(n, mechanism, params):
        return untestable(name, where, text, FAR, evidence=evidence)
    value, sem = rows["efficiency", mechanism, n]
    slack = limit * beyond(_information(n, mechanism, params), params["epsilon"], _hotness(mechanism, params))
    text, tolerance = f"{text} (at N = {n})", STANDARD_ERRORS * sem + slack
    return agrees(name, where, text, expected=limit, measured=value, tolerance=tolerance, evidence=evidence)


def _ratio(rows: Cells, sizes: list[int], limit: float, params: Mapping[str, Any]) -> Claim:
    """Squared errors around θ₀; the variances of the two posteriors themselves have another ratio."""
    text = (
        f"the ratio of variances of OPS's samples and of the posterior's approaches (1+T)/2 = {limit:.4g} (read as the "
        "squared errors of what is drawn)"
    )
    n = sizes[-1]
    if not _settled(n, "ops", params):
        return untestable("ratio", SECTION, text, FAR, evidence=EXACT, ours=True)
    tolerance = limit * beyond(_information(n, "ops", params), params["epsilon"], _hotness("ops", params))
    measured = rows["efficiency", "ops", n][0] / rows["efficiency", "posterior", n][0]
    text, marks = f"{text} (at N = {n})", Marks(evidence=EXACT, ours=True)
    return agrees("ratio", SECTION, text, expected=limit, measured=measured, tolerance=tolerance, **marks)


def _rate(rows: Cells, sizes: list[int], mechanism: str, params: Mapping[str, Any]) -> Claim:
    """ln E[KL] falls like −ln N between two large n; the next term is that of `beyond`."""
    text = f"E[KL] of {mechanism} tends to 0: it falls like 1/N (slope of ln E[KL] against ln N)"
    name, lemma, evidence = f"rate-{mechanism}", "thesis Lemma 1", _evidence(mechanism)
    large = [n for n in sizes if _settled(n, mechanism, params)]
    if mechanism == "laplace":  # by its expectations, as far as they go
        large = [n for n in large if rows["kl", mechanism, n][1] == 0.0]
    if len(large) < 2 or large[-1] < 10 * large[0]:
        return untestable(name, lemma, text, FAR, evidence=evidence)
    last, first = large[-1], max(n for n in large if n <= large[-1] / 10)
    (a, a_error), (b, b_error) = rows["kl", mechanism, first], rows["kl", mechanism, last]
    width = math.log(last / first)
    noise = STANDARD_ERRORS * math.hypot(a_error / a, b_error / b)
    slack = beyond(_information(first, mechanism, params), params["epsilon"], 1.0)
    slope, tolerance = math.log(b / a) / width, (noise + slack) / width
    return agrees(name, lemma, text, expected=-1.0, measured=slope, tolerance=tolerance, evidence=evidence)
