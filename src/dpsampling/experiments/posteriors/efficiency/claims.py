"""Lemma 1, Theorems 4 and 5, and Remark 1, at finite numbers of records and in their limits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.claims import MONTE_CARLO, Claim, agrees, at_most, untestable
from dpsampling.experiments.posteriors.closed_form import temperature
from dpsampling.experiments.posteriors.efficiency import CATEGORICAL, DRAWS_A_DATA_SET

EVIDENCE = MONTE_CARLO

STANDARD_ERRORS = 4.0
FEW = 100  # repeats, below which a mean over its standard error is not close to normal
FAR = "the N of this table are not large enough for its noise, its window or its repeats"
Cells = dict[tuple[str, str, int], tuple[float, float]]


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """Agreement with exact finite-n values, and the limits."""
    sizes = sorted(int(n) for n in table["n"].unique())
    rows = {(str(q), str(m), int(n)): (value, sem) for q, m, n, value, sem, _ in table.itertuples(index=False)}
    known = table[table["exact"].notna()]
    deviations = (known["value"] - known["exact"]).abs() / known["sem"]
    t = {k: temperature(params["truncation"], params["epsilon"], k) for k in (2, len(params["probabilities"]))}
    limits = {
        ("laplace", "Theorem 4"): 2.0,
        ("laplace-mean", "Remark 1"): 1.0,
        ("ops", "Theorem 5"): 1.0 + t[2],
        ("laplace-categorical", "Theorem 4"): 2.0,
        ("laplace-mean-categorical", "Remark 1"): 1.0,
        ("ops-categorical", "Theorem 5"): 1.0 + t[len(params["probabilities"])],
    }
    text = f"{len(known)} measured values agree with exact expectations (largest deviation in standard errors)"
    if params["repeats"] < FEW:
        few = f"there are fewer than {FEW} repeats"
        claims = [untestable("exact", "thesis section 4.3.3", text, few)]
    else:
        worst = float(deviations.max())
        claims = [at_most("exact", "thesis section 4.3.3", text, limit=STANDARD_ERRORS, measured=worst)]
    for (mechanism, where), limit in limits.items():
        claims.append(_limit(rows, sizes, mechanism, where, limit, params))
    return claims + [_rate(rows, sizes, mechanism, params) for mechanism in ("laplace", "laplace-categorical")]


def _settled(n: int, mechanism: str, params: Mapping[str, Any]) -> bool:
    """Whether n is so large that the limit is within 3%: for the noise, the window and the repeats."""
    categorical = mechanism.endswith(CATEGORICAL)
    truth = params["probabilities"] if categorical else [params["p"], 1.0 - params["p"]]
    information = n * min(p * (1.0 - p) for p in truth)
    if params["repeats"] < (FEW if not mechanism.startswith("ops-") else 20 * DRAWS_A_DATA_SET):
        return False
    if not mechanism.startswith("ops"):
        return information >= 800.0 / params["epsilon"] ** 2
    t = temperature(params["truncation"], params["epsilon"], len(truth))
    room = min(truth) - params["truncation"]
    return information >= 1000.0 * t and room > 6.0 * math.sqrt((1.0 + t) / (4.0 * n))


def _limit(rows: Cells, sizes: list[int], mechanism: str, where: str, limit: float, params: Mapping[str, Any]) -> Claim:
    """The value at the largest n, within Monte-Carlo error and 3% for n not being infinite."""
    name, text, n = f"limit-{mechanism}", f"the relative efficiency of {mechanism} tends to {limit:.4g}", sizes[-1]
    if not _settled(n, mechanism, params):
        return untestable(name, f"thesis {where}", text, FAR)
    value, sem = rows["efficiency", mechanism, n]
    tolerance = STANDARD_ERRORS * sem + 0.03 * limit
    return agrees(name, f"thesis {where}", f"{text} (at N = {n})", expected=limit, measured=value, tolerance=tolerance)


def _rate(rows: Cells, sizes: list[int], mechanism: str, params: Mapping[str, Any]) -> Claim:
    """ln E[KL] falls like −ln N between two large n."""
    text = f"E[KL] of {mechanism} tends to 0, at rate 1/N (slope of ln E[KL] against ln N)"
    large = [n for n in sizes if _settled(n, mechanism, params)]
    if len(large) < 2 or large[-1] < 10 * large[0]:
        return untestable(f"rate-{mechanism}", "thesis Lemma 1", text, FAR)
    last = large[-1]
    first = max(n for n in large if n <= last / 10)
    (a, a_error), (b, b_error) = rows["kl", mechanism, first], rows["kl", mechanism, last]
    width = math.log(last / first)
    slope = math.log(b / a) / width
    tolerance = STANDARD_ERRORS * math.hypot(a_error / a, b_error / b) / width + 0.03
    return agrees(f"rate-{mechanism}", "thesis Lemma 1", text, expected=-1.0, measured=slope, tolerance=tolerance)
