"""Δ and T of one posterior sample as the thesis prints them (section 4.3.2), for figures and claims."""

from __future__ import annotations

import math


def sensitivity(truncation: float, outcomes: int = 2) -> float:
    """Δ = ln (1 − (K−1)a₀)/a₀."""
    return math.log((1.0 - (outcomes - 1) * truncation) / truncation)


def temperature(truncation: float, epsilon: float, outcomes: int = 2) -> float:
    """T = max(1, 2Δ/ε)."""
    return max(1.0, 2.0 * sensitivity(truncation, outcomes) / epsilon)
