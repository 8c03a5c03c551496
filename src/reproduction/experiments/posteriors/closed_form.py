"""Δ and T of one posterior sample as the thesis prints them (section 4.3.2), for figures and claims.

And how far from its limit an efficiency may be at finitely many records.
"""

from __future__ import annotations

import math


def sensitivity(truncation: float, outcomes: int = 2) -> float:
    """Δ = ln (1 − (K−1)a₀)/a₀."""
    return math.log((1.0 - (outcomes - 1) * truncation) / truncation)


def temperature(truncation: float, epsilon: float, outcomes: int = 2) -> float:
    """T = max(1, 2Δ/ε)."""
    return max(1.0, 2.0 * sensitivity(truncation, outcomes) / epsilon)


def beyond(information: float, epsilon: float, t: float) -> float:
    """A bound of |efficiency/limit − 1| at Np(1−p) = `information`: noise 8/ε² on the counts, and T pseudo-counts."""
    return (10.0 / epsilon**2 + 10.0 * t) / information
