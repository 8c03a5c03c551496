"""Lemma 1, Theorems 4 and 5, and Remark 1, at finite numbers of records and in their limits."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from dpsampling.claims import Claim, agrees, at_most, untestable
from dpsampling.experiments.chapter4.efficiency import exact_values
from dpsampling.experiments.contract import parameters_of
from dpsampling.mechanisms.one_posterior_sample import sensitivity, temperature

STANDARD_ERRORS = 4.0
LARGE = 100_000  # from here on a limit is expected to be near


def judge(table: pd.DataFrame, experiment: str) -> list[Claim]:
    """Agreement with exact finite-n values, and the limits."""
    params = parameters_of(table, experiment)
    sizes = sorted(int(n) for n in table["n"].unique())
    rows = {(str(q), str(m), int(n)): (value, sem) for q, m, n, value, sem in table.itertuples(index=False)}
    exact = exact_values(params, sizes)
    deviations = [abs(rows[key][0] - value) / rows[key][1] for key, value in exact.items()]
    t = {
        k: temperature(sensitivity(params["truncation"], k), params["epsilon"])
        for k in (2, len(params["probabilities"]))
    }
    limits = {
        ("laplace", "Theorem 4"): 2.0,
        ("laplace-mean", "Remark 1"): 1.0,
        ("ops", "Theorem 5"): 1.0 + t[2],
        ("laplace-categorical", "Theorem 4"): 2.0,
        ("laplace-mean-categorical", "Remark 1"): 1.0,
        ("ops-categorical", "Theorem 5"): 1.0 + t[len(params["probabilities"])],
    }
    return [
        at_most(
            "exact",
            "thesis section 4.3.3",
            f"{len(deviations)} measured values agree with exact expectations (largest deviation in standard errors)",
            limit=STANDARD_ERRORS,
            measured=max(deviations),
        ),
        *(_limit(rows, sizes[-1], mechanism, where, limit) for (mechanism, where), limit in limits.items()),
        *(_rate(rows, sizes, mechanism) for mechanism in ("laplace", "laplace-categorical")),
    ]


def _limit(
    rows: dict[tuple[str, str, int], tuple[float, float]], n: int, mechanism: str, where: str, limit: float
) -> Claim:
    """The value at the largest n, within Monte-Carlo error and 3% for n not being infinite."""
    name, text = f"limit-{mechanism}", f"the relative efficiency of {mechanism} tends to {limit:.4g}"
    if n < LARGE:
        return untestable(name, f"thesis {where}", text, f"the N of this table do not reach {LARGE}")
    value, sem = rows["efficiency", mechanism, n]
    tolerance = STANDARD_ERRORS * sem + 0.03 * limit
    return agrees(name, f"thesis {where}", f"{text} (at N = {n})", expected=limit, measured=value, tolerance=tolerance)


def _rate(rows: dict[tuple[str, str, int], tuple[float, float]], sizes: list[int], mechanism: str) -> Claim:
    """ln E[KL] falls like −ln N between two large n."""
    text = f"E[KL] of {mechanism} tends to 0, at rate 1/N (slope of ln E[KL] against ln N)"
    if sizes[-1] < LARGE or len(sizes) < 2:
        return untestable(f"rate-{mechanism}", "thesis Lemma 1", text, f"the N of this table do not reach {LARGE}")
    last = sizes[-1]
    first = max(n for n in sizes if n <= last / 10) if sizes[0] <= last / 10 else sizes[0]
    (a, a_error), (b, b_error) = rows["kl", mechanism, first], rows["kl", mechanism, last]
    width = math.log(last / first)
    slope = math.log(b / a) / width
    tolerance = STANDARD_ERRORS * float(np.hypot(a_error / a, b_error / b)) / width + 0.02
    return agrees(f"rate-{mechanism}", "thesis Lemma 1", text, expected=-1.0, measured=slope, tolerance=tolerance)
