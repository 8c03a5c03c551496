r"""Gaussian differential privacy: no test tells neighbours apart better than N(0, 1) from N(μ, 1) (Dong et al. 2022).

    δ(ε) = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ)         exactly what a pair of such Gaussians has, at every ε ≥ 0
    R_λ  = λ μ²/2                                    at every order
    μ    = √(Σ μ_i²)                                 of several releases

The curve δ(ε) says more than the Rényi line does: from the line alone, no conversion gets back to it. All numbers are
computed in balls and rounded towards less privacy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from dpsampling.errors import InputError
from dpsampling.numerics.enclosure import as_ball, enclose
from dpsampling.privacy.guarantee import Approximate, Relation, Renyi
from dpsampling.privacy.rounding import float_above

if TYPE_CHECKING:
    from flint import arb


MOST = 1e5  # ε that anything is calibrated to: what it protects is nothing long before, and balls grow with it


@dataclass(frozen=True)
class GaussianDP:
    """μ-Gaussian differential privacy."""

    mu: float
    relation: Relation = Relation.REPLACE_ONE
    conditions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.mu < math.inf:
            raise InputError(f"mu is {self.mu:g}; it must be a finite number, 0 or more.")

    def delta(self, epsilon: float) -> float:
        """δ(ε), rounded up."""
        if not epsilon >= 0:
            raise InputError(f"epsilon is {epsilon:g}; a privacy level must be 0 or more.")
        return (
            0.0
            if self.mu == 0 or math.isinf(epsilon)
            else enclose(lambda: excess(as_ball(self.mu), as_ball(epsilon))).upper
        )

    def approximate(self, delta: float) -> Approximate:
        """The least ε for this δ, rounded up."""
        delta = _check_delta(delta)
        if self.delta(0.0) <= delta:
            return Approximate(0.0, delta, self.relation, self.conditions)
        kept, lost = _between(lambda epsilon: self.delta(epsilon) <= delta, _far(self.mu, delta), 0.0)
        del lost
        return Approximate(kept, delta, self.relation, self.conditions)

    def renyi(self) -> Renyi:
        """λ ↦ λμ²/2."""

        def curve(order: float) -> float:
            return math.inf if math.isinf(order) else float_above(Fraction(order) * Fraction(self.mu) ** 2 / 2)

        return Renyi(curve, math.inf, self.relation, self.conditions)


def compose(parts: Sequence[GaussianDP]) -> GaussianDP:
    """√(Σ μ_i²), of releases on the same data, each possibly chosen after seeing the earlier ones."""
    if not parts:
        raise InputError("there is nothing to compose; name one release or more.")
    relation = parts[0].relation
    if any(part.relation is not relation for part in parts):
        raise InputError("the parts mean different neighbours; restate them for one relation.")
    squares = sum((Fraction(part.mu) ** 2 for part in parts), Fraction(0))
    conditions = tuple(dict.fromkeys(condition for part in parts for condition in part.conditions))
    return GaussianDP(root_above(squares), relation, conditions)


def largest_mu(epsilon: float, delta: float) -> float:
    """The largest μ found that is (ε, δ), rounded down: what the least distortion may be calibrated to."""
    delta = _check_delta(delta)
    if not 0 <= epsilon <= MOST:
        raise InputError(f"epsilon is {epsilon:g}; for a Gaussian guarantee it must be 0 or more and at most {MOST:g}.")

    def keeps(mu: float) -> bool:
        return GaussianDP(mu).delta(epsilon) <= delta

    most = 1.0
    while keeps(most):  # δ(ε) tends to 1 as μ grows
        most *= 2.0
    return _between(keeps, 0.0, most)[0]


def root_above(square: Fraction) -> float:
    """The least float found that is not below the root of a rational number."""
    root = math.sqrt(float_above(square))
    while Fraction(root) ** 2 < square:
        root = math.nextafter(root, math.inf)
    return root


def excess(mu: arb, epsilon: arb) -> arb:
    """δ(ε) of μ > 0, in balls."""
    return normal(mu / 2 - epsilon / mu) - epsilon.exp() * normal(-mu / 2 - epsilon / mu)


def normal(x: arb) -> arb:
    """Φ(x), also far out."""
    return (-x / as_ball(2).sqrt()).erfc() / 2


def _far(mu: float, delta: float) -> float:
    """An ε with δ(ε) ≤ Φ(μ/2 − ε/μ) ≤ exp(−(ε/μ − μ/2)²/2) ≤ δ, and a half more."""
    return 1.5 * mu * (mu / 2 + math.sqrt(-2.0 * math.log(delta))) + math.ulp(1.0)


def _between(keeps: Callable[[float], bool], kept: float, lost: float) -> tuple[float, float]:
    """Neighbouring floats, the first of which keeps the promise and the second does not, between two such."""
    while True:
        middle = (kept + lost) / 2.0
        if middle in (kept, lost):
            return kept, lost
        kept, lost = (middle, lost) if keeps(middle) else (kept, middle)


def _check_delta(delta: float) -> float:
    if not 0 < delta < 1:
        raise InputError(f"delta is {delta:g}; a Gaussian guarantee has some δ above 0 and below 1 for every ε.")
    return float(delta)
