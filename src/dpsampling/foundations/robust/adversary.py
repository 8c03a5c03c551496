r"""How well the best test tells x from y after n posterior draws: (1 − TV(Pⁿ, Qⁿ))/2, the mean of its two errors.

The test compares Σ ln p/q with 0. Where ln p/q is a line in a statistic T, that is ΣT against n·t, t the crossing:

    Gammas of equal shape k     Σθ ~ Gamma(nk, rate)                     incomplete gamma functions
    two outcomes                how often the first ~ Binomial(n, p)     its distribution function
    Betas of equal sum          Σ logit θ, with E e^{zη} = e^{K(z)} = Γ(a+z)Γ(b−z)/(Γ(a)Γ(b)), inverted on the line
                                through the saddle t, where nK′(t) = s:

    Pr(Ση > s) = (1/2π) ∫ e^{nK(t+iu) − (t+iu)s}/(t+iu) du  for t > 0,     Pr(Ση ≤ s) is −(the same) for t < 0,

by the trapezoidal rule, which errs by e^{−2πd/h}, d the distance of t from 0, −a and b: small errors keep their digits.

What is asked about θ instead of θ itself, q(θ), is a coarser look: an indicator is two outcomes.

Theorem 3 as a necessity, for this test: under Assumption 1 the log-ratio of n draws ranges over an interval of length
2nLρ, and then neither test has a mean error below 1/(1 + e^{nLρ}); so ρ ≥ ln((1−δ)/δ)/(nL), which is above
(3/(4nL)) ln(1/δ) where 1 − δ ≥ δ^{1/4}, up to δ = .2755.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import digamma, gammainc, gammaincc, loggamma
from scipy.stats import binom

from dpsampling.foundations.robust.laws import BetaLaw, GammaLaw
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.ties import NEAR

DIGITS = 40.0  # e^-40 of the integral is what the rule may lose
CHUNK = 500  # nodes at once


def gamma_error(p: GammaLaw, q: GammaLaw, draws: int) -> float:
    """Of Gammas of equal shape."""
    if p.rate == q.rate:
        return 0.5
    fast, slow = (p, q) if p.rate > q.rate else (q, p)
    shape, at = draws * p.shape, draws * p.crossing(q)
    return 0.5 * float(gammaincc(shape, fast.rate * at) + gammainc(shape, slow.rate * at))


def coin_error(p: float, q: float, draws: int) -> float:
    """Of an outcome with probability p or q."""
    if p == q:
        return 0.5
    high, low = max(p, q), min(p, q)
    if high == 1.0 or low == 0.0:  # one look at what never is decides
        never = (high if low == 0.0 else 1.0 - low) if high - low < 1.0 else 1.0
        return 0.5 * (1.0 - never) ** draws
    ones, zeros = math.log(high / low), math.log((1.0 - high) / (1.0 - low))
    at = math.floor(-draws * zeros / (ones - zeros))
    return 0.5 * float(binom.cdf(at, draws, high) + binom.sf(at, draws, low))


def beta_error(p: BetaLaw, q: BetaLaw, draws: int) -> float:
    """Of Betas of equal sum."""
    if p.a == q.a:
        return 0.5
    at = p.crossing(q)
    return 0.5 * (_beyond(p, draws, at) + _beyond(q, draws, at))


def _beyond(law: BetaLaw, draws: int, at: float) -> float:
    """The probability that the mean of n logits is on the other side of `at` than its expectation."""

    def slope(t: float) -> float:
        return float(digamma(law.a + t) - digamma(law.b - t)) - at

    edge = 1e-9 * min(law.a, law.b)
    t = float(brentq(slope, edge - law.a, law.b - edge, xtol=1e-15))
    near = min(abs(t), law.a + t, law.b - t)
    step = min(2.0 * math.pi * near / DIGITS, 0.1 / math.sqrt(draws))
    origin = complex(loggamma(law.a) + loggamma(law.b)).real
    top = draws * (complex(loggamma(law.a + t) + loggamma(law.b - t)).real - origin - t * at)
    total, start = 0.0, 0
    while True:
        z = t + 1j * step * np.arange(start, start + CHUNK)
        rise = draws * (loggamma(law.a + z) + loggamma(law.b - z) - origin - z * at) - top
        terms = np.real(np.exp(rise) / z)
        total += 2.0 * float(np.sum(terms)) - (float(terms[0]) if start == 0 else 0.0)
        if rise.real[-1] < -DIGITS:
            return math.exp(top) * abs(total) * step / (2.0 * math.pi)
        start += CHUNK


def least_error(lipschitz: float, distance: float, draws: int) -> float:
    """1/(1 + e^{nLρ}), which no test is below under Assumption 1."""
    x = draws * lipschitz * distance
    return math.exp(-x) / (1.0 + math.exp(-x))


def simulated_error(first: Array, second: Array) -> tuple[float, float]:
    """The mean of both errors and its standard error, from log-ratios of runs under x and under y.

    A log-ratio of 0 counts half: also one that is 0 but for the rounding of its sum.
    """
    errors = [np.where(np.abs(side) < NEAR, 0.5, side < 0) for side in (first, -second)]
    runs = len(first)
    # An error of 0 or 1 in all runs still has the spread that one more run could show.
    rates = [(float(np.sum(e)) + 1.0) / (runs + 2.0) for e in errors]
    spread = math.sqrt(sum(rate * (1.0 - rate) / runs for rate in rates)) / 2.0
    return float(np.mean(errors[0]) + np.mean(errors[1])) / 2.0, spread
