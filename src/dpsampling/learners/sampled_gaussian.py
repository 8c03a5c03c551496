r"""The pair that dominates a step of noisy gradient descent, and what one step or many of them spend.

Each record is in the batch with probability q, in secret, and moves the sum by a vector g of length 1 at most; the sum
is seen with N(0, σ²I). Whatever the other records are, two neighbours are no easier to tell apart than

    add or remove     (1−q) N(0, σ²) + q N(1, σ²)     from    N(0, σ²),   either way round
    replace           (1−q) N(0, σ²) + q N(1, σ²)     from    (1−q) N(0, σ²) + q N(−1, σ²).

Proof, α ≥ 1, σ = 1. For vectors g, g′ let X = e^{⟨z,g⟩−‖g‖²/2}, Y = e^{⟨z,g′⟩−‖g′‖²/2}, z ~ N(0, I). A replaced
record has ∫ (p − αp′)₊ = E h(X, Y), h = (qX − αqY − (α−1)(1−q))₊: the price of a call on a spread. Its derivative in
‖g‖², at fixed ⟨g,g′⟩, is ½E X²h_XX ≥ 0, in ⟨g,g′⟩ it is E XY h_XY ≤ 0, as h is convex in what it is a call on. So it
is largest where both have length 1 and are opposite. A record more or less has E (qX + 1 − q − α)₊ or
E (1 − α(1−q) − αqX)₊, which grow with ‖g‖ as they are convex in X. For α < 1 the pair changes places; a batch of other
records shifts both laws alike, and ∫ (p − αp′)₊ is jointly convex. As all this holds at every α, it holds of
many steps that see all earlier ones (Zhu, Dong and Wang 2022, Theorem 10).

Rényi, for whole orders λ (Mironov, Talwar and Zhang 2019, where the first way round is also the worse one):

    (λ−1) R_λ = ln Σ_k C(λ,k) (1−q)^{λ−k} q^k e^{k(k−1)/(2σ²)},

and between whole orders on a straight line, which is above it, as t R_{1+t} is convex.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr

from dpsampling.errors import InputError
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.enclosure import as_ball, enclose
from dpsampling.privacy.gaussian_dp import GaussianDP, root_above
from dpsampling.privacy.guarantee import Relation, Renyi
from dpsampling.privacy.rounding import float_above

if TYPE_CHECKING:
    from flint import arb


SECRET = "Poisson batches, kept secret"
ORDERS = (*range(1, 65), *sorted({round(2.0 ** (i / 8)) for i in range(49, 105)}))  # up to 2¹³
LAST_OF_MOMENTS = 33  # 32 moments were looked at


def check(sampling: float, sigma: float, steps: int = 1) -> None:
    """A rate, a spread and a number that are some."""
    if not 0 < sampling <= 1:
        raise InputError(f"sampling is {sampling:g}; the probability of being in a batch is above 0 and at most 1.")
    if not 0 < sigma < math.inf:
        raise InputError(f"sigma is {sigma:g}; it must be above 0 and finite.")
    if not (steps >= 1 and float(steps).is_integer()):
        raise InputError(f"steps is {steps:g}; it must be a whole number, 1 or more.")


@dataclass(frozen=True)
class Pair:
    """Two mixtures of N(0, σ²) and N(±1, σ²), of which ln p/p′ grows: `first` and `second` are the weights of ±1."""

    first: float
    second: float
    sigma: float

    def loss(self, z: Array) -> Array:
        """ln p/p′ = ln(1 − a + a e^{(2z−1)/2σ²}) − ln(1 − b + b e^{(−2z−1)/2σ²})."""
        return _log_tilt(self.first, z, self.sigma) - _log_tilt(self.second, -z, self.sigma)

    def tails(self, z: Array) -> tuple[Array, Array]:
        """Probabilities of more than z under either."""
        near, up, down = (ndtr((centre - z) / self.sigma) for centre in (0.0, 1.0, -1.0))
        return near + self.first * (up - near), near + self.second * (down - near)

    def where(self, level: float) -> float:
        """The z with ln p/p′ = level, to the last bits; infinite where there is none."""
        high = 40.0 * self.sigma + 1.0  # beyond it there is less mass than any float
        low = -high
        if not self.loss(np.array(low)) < level < self.loss(np.array(high)):
            return math.inf if level > 0 else -math.inf
        for _ in range(200):
            middle = (low + high) / 2.0
            if middle in (low, high):
                break
            low, high = (middle, high) if self.loss(np.array(middle)) < level else (low, middle)
        return high

    def delta(self, epsilon: float) -> float:
        """δ(ε) of one step, exact but for the rounding of floats."""
        z = self.where(epsilon)
        p, q = self.tails(np.array(z))
        return max(0.0, float(p - math.exp(epsilon) * q)) if z < math.inf else 0.0


def pairs(sampling: float, sigma: float, relation: Relation) -> tuple[Pair, ...]:
    """Those that dominate: removed and added, or replaced."""
    check(sampling, sigma)
    if relation is Relation.REPLACE_ONE:
        return (Pair(sampling, sampling, sigma),)
    if relation is Relation.ADD_OR_REMOVE_ONE:
        return Pair(sampling, 0.0, sigma), Pair(0.0, sampling, sigma)
    raise InputError(f"relation is '{relation.value}'; a record is added, removed or replaced here.")


def without_batches(sigma: float, steps: int, relation: Relation) -> GaussianDP:
    """Steps that each show a record's gradient: all of it at q = 1, or one an epoch for public batches."""
    check(1.0, sigma, steps)
    moved = 2 if relation is Relation.REPLACE_ONE else 1
    return GaussianDP(root_above(moved**2 * Fraction(steps) / Fraction(sigma) ** 2), relation)


def gaussian_limit(sampling: float, sigma: float, steps: int) -> GaussianDP:
    """μ = q√(T(e^{1/σ²} − 1)) of many steps (Bu et al. 2020, as commonly stated): a limit, which promises nothing."""
    check(sampling, sigma, steps)
    return GaussianDP(sampling * math.sqrt(steps * math.expm1(sigma**-2.0)), Relation.ADD_OR_REMOVE_ONE)


def renyi(sampling: float, sigma: float, steps: int, relation: Relation) -> Renyi:
    """The curve of T steps, for a record more or less."""
    check(sampling, sigma, steps)
    if relation is not Relation.ADD_OR_REMOVE_ONE:
        raise InputError(
            f"relation is '{relation.value}'; the Rényi curve is known for adding or removing one: take that, or the "
            "privacy-loss distribution."
        )

    def curve(order: float) -> float:
        if order <= 2.0:  # the line from 0 at order 1
            return _scaled(cumulant(sampling, sigma, 2), steps, Fraction(1))
        place = bisect_left(ORDERS, order)
        left, right = ORDERS[place - 1], ORDERS[place]
        share = (Fraction(order) - left) / (right - left)
        low, high = (Fraction(cumulant(sampling, sigma, whole)) for whole in (left, right))
        return _scaled(low + share * (high - low), steps, Fraction(order) - 1)

    return Renyi(curve, math.nextafter(ORDERS[-1], math.inf), relation, (SECRET,))


def moments_epsilon(sampling: float, sigma: float, steps: int, delta: float) -> float:
    """min over λ ≤ 33 of R_λ + ln(1/δ)/(λ−1): the moments accountant (Abadi et al. 2016, as commonly stated)."""
    curve = renyi(sampling, sigma, steps, Relation.ADD_OR_REMOVE_ONE)
    return min(
        enclose(lambda: as_ball(curve.epsilon(float(k))) - as_ball(delta).log() / (k - 1)).upper  # noqa: B023
        for k in range(2, LAST_OF_MOMENTS + 1)
    )


@cache
def cumulant(sampling: float, sigma: float, order: int) -> float:
    """(λ−1) R_λ of one step at a whole order, rounded up: ln of 1 and of Σ_{k≥2}, whose e^x are e^x − 1."""
    if order == 1:
        return 0.0

    def total() -> arb:
        q, scale = as_ball(sampling), 1 / (2 * as_ball(sigma) ** 2)
        if sampling == 1:
            return order * (order - 1) * scale
        odds, above = q / (1 - q), as_ball(0)
        weight = (1 - q) ** order
        for k in range(1, order + 1):
            weight = weight * odds * (order - k + 1) / k
            above += weight * (k * (k - 1) * scale).expm1()
        return above.log1p()

    return enclose(total).upper


def _scaled(value: float | Fraction, steps: int, by: Fraction) -> float:
    return float_above(Fraction(value) * steps / by)


def _log_tilt(weight: float, z: Array, sigma: float) -> Array:
    """ln(1 − a + a e^{(2z−1)/2σ²})."""
    if weight == 0.0:
        return np.zeros_like(z)
    if weight == 1.0:
        return np.asarray((2.0 * z - 1.0) / (2.0 * sigma**2))
    return np.logaddexp(math.log1p(-weight), math.log(weight) + (2.0 * z - 1.0) / (2.0 * sigma**2))
