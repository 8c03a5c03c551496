"""What Example 2 and Lemma 5 say of iterated Laplace noise."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from reproduction import claims as verdicts
from reproduction.claims import Claim, agrees, never
from reproduction.experiments.amplification.iterated_laplace import BOUND, EXACT, FIRST, HIGH, SECOND, TAIL

EVIDENCE = verdicts.EXACT

EXAMPLE, LEMMA = "thesis Example 2", "thesis Lemma 5"
QUADRATURE = 1e-9  # the relative error that the exact divergence may have


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> Iterator[Claim]:
    """The bound against the exact divergence and the single noises, and the limit of large orders."""
    keys = ["delta", "scale1", "scale2", "order"]
    wide = table.pivot_table(index=keys, columns="curve", values="epsilon").reset_index()
    asked = wide if HIGH in params["orders"] else wide[wide["order"] != HIGH]
    better = np.minimum(asked[FIRST], asked[SECOND])
    below = int(np.sum(asked[BOUND] < asked[EXACT] * (1.0 - QUADRATURE)))
    useless = int(np.sum(asked[BOUND] >= better))
    high, checked = wide[wide["order"] == HIGH], table[table["density_error"].notna()]
    text = "(6.2) at its best w is above the exact divergence"
    yield never("bound", EXAMPLE, text, violations=below, cases=len(asked), of_privacy=True)
    text = "some w makes (6.2) smaller than either noise alone, for equal and unequal scales"
    yield never("amplified", EXAMPLE, text, violations=useless, cases=len(asked))
    text = "(6.3) is the density of the sum of two Laplace variables (largest relative error)"
    measured = float(checked["density_error"].max())
    yield agrees("density", "thesis eq. (6.3)", text, expected=0.0, measured=measured, tolerance=1e-8)
    yield _lemma(checked)
    yield _limit("bound-limit", EXAMPLE, "the bound tends to Δ/max(λ₁, λ₂) as α grows", high, BOUND)
    yield _limit("exact-limit", LEMMA, "so does the exact divergence", high, EXACT)


def _lemma(rows: pd.DataFrame) -> Claim:
    """The log-ratio far in the tail; with equal scales it is short of its limit by ln(1 + Δ/(λ + x))."""
    worst = float(np.max(np.abs(rows["tail_log_ratio"] / _limits(rows) - 1.0)))
    text = "the log-ratio of the densities reaches Δ/max(λ₁, λ₂) and no more (largest relative distance in the tail)"
    return agrees("lemma", LEMMA, text, expected=0.0, measured=worst, tolerance=1.0 / TAIL)


def _limit(name: str, source: str, text: str, high: pd.DataFrame, curve: str) -> Claim:
    """At order α the bound is short by up to ln 2/α for either noise, equal scales exactly by about 2√(Δ/(λα))."""
    limits = _limits(high)
    slow = 3.0 * np.sqrt(1.0 / limits / HIGH) + 3.0 * math.log(HIGH) / HIGH / limits
    text = f"{text} (largest relative distance at α = {HIGH:g})"
    measured = float(np.max(np.abs(high[curve] / limits - 1.0)))
    return agrees(name, source, text, expected=0.0, measured=measured, tolerance=float(np.max(slow)))


def _limits(rows: pd.DataFrame) -> pd.Series[float]:
    """Δ/max(λ₁, λ₂)."""
    return rows["delta"] / np.maximum(rows["scale1"], rows["scale2"])
