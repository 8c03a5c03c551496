r"""How far a release is from the truth: the review's accuracy bounds beside the exact laws (DP review 2019 section 3).

    flips         Pr(j of k bits flipped) ≤ C(k,j) max(p,q)^j max(1−p,1−q)^{k−j}               (Proposition 3.3)
                  exactly: the convolution of Binomial(zeros, p) and Binomial(ones, q)
    Laplace       Pr(‖noise‖_∞ ≥ β ln(k/δ)) ≤ δ                                                (Proposition 3.7)
                  exactly: 1 − (1 − e^{−t/β})^k at t ≥ 0
    exponential   Pr(s(y_X) − s(y) ≥ (ln(|Y|/|Y_X|) + t)/λ) ≤ e^{−t}                           (Proposition 3.12)
                  exactly: a sum over Y; at most as large where all but the best lie just at the threshold
    Gaussian      Pr(‖noise‖_∞ ≥ σ√(2 ln(k/δ))) ≤ δ                  (Propositions 3.16 and 3.20, which leave it open)
                  exactly: 1 − (1 − 2Φ(−t/σ))^k at t ≥ 0

The Gaussian bound is the union over coordinates of 2Φ(−x) ≤ e^{−x²/2}, x ≥ 0: with Φ(−x) = ∫₀^∞ φ(x+v) dv and
φ(x+v) = φ(v) e^{−x²/2} e^{−xv}, no more than e^{−x²/2} ∫₀^∞ φ. It speaks of one data set, whose noise may be σ(X).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.mechanisms.exponential import ExponentialMechanism


def flip_law(zeros: int, ones: int, p: Fraction, q: Fraction) -> list[Fraction]:
    """Pr(j flips) of so many 0 and 1, j = 0 … zeros + ones."""
    first, second = _binomial(zeros, p), _binomial(ones, q)
    return [
        sum((first[i] * second[j - i] for i in range(max(0, j - ones), min(zeros, j) + 1)), Fraction(0))
        for j in range(zeros + ones + 1)
    ]


def flip_bound(bits: int, flips: int, p: Fraction, q: Fraction) -> Fraction:
    """C(k,j) max(p,q)^j max(1−p,1−q)^{k−j}."""
    return math.comb(bits, flips) * max(p, q) ** flips * max(1 - p, 1 - q) ** (bits - flips)


def laplace_threshold(scale: float, dimension: int, delta: float) -> float:
    """β ln(k/δ)."""
    return scale * math.log(dimension / delta)


def laplace_tail(threshold: float, scale: float, dimension: int) -> float:
    """Pr(‖noise‖_∞ ≥ t)."""
    return _of_any(math.exp(-max(threshold, 0.0) / scale), dimension)


def gaussian_threshold(sigma: float, dimension: int, delta: float) -> float:
    """σ√(2 ln(k/δ))."""
    return sigma * math.sqrt(2.0 * math.log(dimension / delta))


def gaussian_tail(threshold: float, sigma: float, dimension: int) -> float:
    """Pr(‖noise‖_∞ ≥ t)."""
    return _of_any(math.erfc(max(threshold, 0.0) / (sigma * math.sqrt(2.0))), dimension)


def exponential_threshold(rate: float, alternatives: int, best: int, t: float) -> float:
    """(ln(|Y|/|Y_X|) + t)/λ, `best` = |Y_X|; with 1 for it, the looser form of Corollary 3.13."""
    return (math.log(alternatives / best) + t) / rate


def exponential_tail(mechanism: ExponentialMechanism, utilities: ArrayLike, threshold: float) -> float:
    """Pr(s(y_X) − s(y) ≥ threshold)."""
    scores = np.asarray(utilities, dtype=float)
    return float(np.sum(mechanism.probabilities(scores)[scores.max() - scores >= threshold]))


def _of_any(each: float, dimension: int) -> float:
    """1 − (1 − x)^k."""
    return 1.0 if each >= 1.0 else -math.expm1(dimension * math.log1p(-each))


def _binomial(count: int, chance: Fraction) -> Sequence[Fraction]:
    return [math.comb(count, j) * chance**j * (1 - chance) ** (count - j) for j in range(count + 1)]
