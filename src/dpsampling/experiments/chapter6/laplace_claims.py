"""What Example 2 and Lemma 5 say of iterated Laplace noise."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import integrate

from dpsampling.amplification.couplings import (
    TOLERANCE,
    iterated_laplace,
    iterated_laplace_divergence,
    iterated_laplace_limit,
    log_density,
)
from dpsampling.claims import Claim, agrees, never
from dpsampling.experiments.chapter6.laplace import BOUND, EXACT, FIRST, SECOND

EXAMPLE, LEMMA = "thesis Example 2", "thesis Lemma 5"
HIGH = 1e10  # an order at which the limit is near


def judge(table: pd.DataFrame, experiment: str) -> list[Claim]:
    """The bound against the exact divergence and the single noises, and the limit of large orders."""
    del experiment
    keys = ["delta", "scale1", "scale2", "order"]
    wide = table.pivot_table(index=keys, columns="curve", values="epsilon").reset_index()
    better = np.minimum(wide[FIRST], wide[SECOND])
    below = int(np.sum(wide[BOUND] < wide[EXACT] * (1.0 - TOLERANCE)))
    useless = int(np.sum(wide[BOUND] >= better))
    pairs = [(float(d), float(a), float(b)) for d, a, b in wide[keys[:3]].drop_duplicates().to_numpy()]
    return [
        never("bound", EXAMPLE, "(6.2) at its best w is above the exact divergence", violations=below, cases=len(wide)),
        never(
            "amplified",
            EXAMPLE,
            "some w makes (6.2) smaller than either noise alone, for equal and unequal scales",
            violations=useless,
            cases=len(wide),
        ),
        _density(pairs),
        _lemma(pairs),
        _limit("bound-limit", EXAMPLE, "the bound tends to Δ/max(λ₁, λ₂) as α grows", pairs, exact=False),
        _limit("exact-limit", LEMMA, "so does the exact divergence", pairs, exact=True),
    ]


def _density(pairs: list[tuple[float, float, float]]) -> Claim:
    """(6.3) against the convolution it is meant to be, at points on the scale of the noise."""
    worst = 0.0
    for _, a, b in pairs:
        for x in np.array([0.0, 0.3, 1.0, 4.0]) * max(a, b):
            pieces = [(-np.inf, 0.0), (0.0, x), (x, np.inf)]
            by_quadrature = sum(
                integrate.quad(_product, *ends, args=(x, a, b), epsabs=0, epsrel=1e-11)[0]
                for ends in pieces
                if ends[0] < ends[1]
            )
            worst = max(worst, abs(by_quadrature / math.exp(float(log_density(x, a, b))) - 1.0))
    text = "(6.3) is the density of the sum of two Laplace variables (largest relative error)"
    return agrees("density", "thesis eq. (6.3)", text, expected=0.0, measured=worst, tolerance=1e-8)


def _product(t: float, x: float, a: float, b: float) -> float:
    return math.exp(-abs(x - t) / a - abs(t) / b) / (4.0 * a * b)


def _log_ratio(x: NDArray[np.float64], delta: float, a: float, b: float) -> NDArray[np.float64]:
    return log_density(x, a, b) - log_density(x + delta, a, b)


def _lemma(pairs: list[tuple[float, float, float]]) -> Claim:
    """The log-ratio far in the tail; with equal scales it is short of its limit by ln(1 + Δ/(λ + x))."""
    worst = 0.0
    for delta, a, b in pairs:
        limit, x = iterated_laplace_limit(delta, a, b).epsilon, 1e4 * (max(a, b) + delta)
        worst = max(worst, abs(float(_log_ratio(np.array([x]), delta, a, b)[0]) / limit - 1.0))
    text = "the log-ratio of the densities reaches Δ/max(λ₁, λ₂) and no more (largest relative distance in the tail)"
    return agrees("lemma", LEMMA, text, expected=0.0, measured=worst, tolerance=2e-4)


def _limit(name: str, source: str, text: str, pairs: list[tuple[float, float, float]], *, exact: bool) -> Claim:
    """At order α the bound is short by ln 2/α and a little, the divergence of equal scales by about 2√(Δ/(λα))."""
    shortfalls, tolerance = [], 0.0
    for delta, a, b in pairs:
        limit = iterated_laplace_limit(delta, a, b).epsilon
        level = iterated_laplace_divergence(HIGH, delta, a, b) if exact else iterated_laplace(delta, a, b).epsilon(HIGH)
        shortfalls.append(abs(level / limit - 1.0))
        slow = 3.0 * math.sqrt(max(a, b) / delta / HIGH) + 3.0 * math.log(HIGH) / HIGH / limit
        tolerance = max(tolerance, slow)
    return agrees(
        name,
        source,
        f"{text} (largest relative distance at α = {HIGH:g})",
        expected=0.0,
        measured=max(shortfalls),
        tolerance=tolerance,
    )
