r"""Private posteriors of Bayesian logistic regression, and what they promise (NIPS 2017, section 4; supplement A.7).

For n records of features ‖x‖ ≤ c and labels y ∈ {0, 1}, with z = (2y − 1)x, a draw of w has the density

    ∝ exp(−κ‖w‖²/2) Π_i (1 + e^{−z_i·w})^{−ρ},             prior precision κ, every record counting ρ times;

the model's own κ is nβ and its ρ is 1. Two neighbours' log-densities differ by a function of slope at most 2ρc, for the
loss of one record has slope below c; and both are κ-strongly concave. By Gopi, Lee and Liu (2022, Theorem 4.1) no test
tells them apart better than two Gaussians that are 2ρc/√κ apart:

    μ = 2ρc/√κ                      Gaussian differential privacy, and so
    ε(λ) = μ²λ/2 = 2ρ²c²λ/κ         at every order λ ≥ 1, where λ = 1 is KL (supplement Lemma 1, Theorems 16 and 17).

    direct          κ = nβ, ρ = 1
    concentrated    κ = max{nβ, 2c²λ/ε}, ρ = 1                           Algorithm 4
    diffused        κ = nβ, ρ = min{1, √(εκ/(2c²λ))}                     Algorithm 5
    OPS             the whole posterior to the power ρ, κ = ρnβ, on the ball ‖w‖ ≤ c/β, where one record changes
                    ln Pr(y | x, w) by at most c·c/β = c²/β: 2ρc²/β-DP, so ρ = min{1, εβ/(2c²)} (thesis eq. (4.13)).
                    The paper takes half of that ρ, for its bound is 4; its points say that the prior is tempered too.

All of this is about an exact draw, which `draws` makes in floats and `certified` in bits. κ and ρ are the rational
numbers that their floats are; they are rounded so that no level is above the ε asked for.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np

from dpsampling.errors import InputError
from dpsampling.learners.logistic import ball
from dpsampling.learners.logistic.ball_law import BallLaw
from dpsampling.learners.logistic.certified import LogisticLaw
from dpsampling.learners.logistic.draws import Draws, draw
from dpsampling.learners.logistic.envelope import envelope
from dpsampling.learners.logistic.records import Records
from dpsampling.learners.logistic.target import Target
from dpsampling.mechanisms.calibration import check_epsilons, check_one_of
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.exact.draws import Law, numbers
from dpsampling.numerics.exact.fixed_point import FixedPoint
from dpsampling.privacy.gaussian_dp import GaussianDP, largest_mu, root_above
from dpsampling.privacy.guarantee import Pure, Relation, Renyi
from dpsampling.privacy.rounding import float_above

EXTREME = 1e9  # of β and of c, and its reciprocal: from there on draws would be of floats next to none


@dataclass(frozen=True)
class Model:
    """What is public: the number of records n, β of the prior N(0, (nβ)⁻¹I), and the bound c of ‖x‖."""

    n: int
    regularity: float = 1e-3
    bound: float = 1.0

    def __post_init__(self) -> None:
        if not (self.n >= 1 and float(self.n).is_integer()):
            raise InputError(f"n is {self.n:g}; it must be a whole number of records, 1 or more.")
        for name, value in (("regularity", self.regularity), ("bound", self.bound)):
            if not 1.0 / EXTREME <= value <= EXTREME:
                raise InputError(f"{name} is {value:g}; it must be from {1.0 / EXTREME:g} to {EXTREME:g}.")

    @property
    def precision(self) -> float:
        """κ = nβ."""
        return float(Fraction(int(self.n)) * Fraction(self.regularity))

    @property
    def conditions(self) -> tuple[str, ...]:
        """Return what every promise here rests on."""
        return "one exact draw", f"every feature vector has norm at most {self.bound:g}"


@dataclass(frozen=True)
class PrivatePosterior(ABC):
    """The posterior with prior precision κ and records that count ρ times."""

    model: Model
    precision: float
    weight: float

    name: ClassVar[str]

    def __post_init__(self) -> None:
        if not 0 < self.precision < math.inf:
            raise InputError(f"precision is {self.precision:g}; a prior's precision is a finite number above 0.")
        if not 0 < self.weight <= 1:
            raise InputError(f"weight is {self.weight:g}; a record counts for more than 0 and at most once.")

    @property
    def radius(self) -> float | None:
        """Of the ball that w is kept in, if it is."""
        return None

    @property
    def gaussian(self) -> GaussianDP:
        """μ = 2ρc/√κ; on a convex set too."""
        slope = 2 * Fraction(self.weight) * Fraction(self.model.bound)
        mu = root_above(slope**2 / Fraction(self.precision))
        return GaussianDP(mu, Relation.REPLACE_ONE, self.model.conditions)

    def target(self, records: Records) -> Target:
        """The law of w for these records."""
        self.check(records)
        return Target(records, self.precision, self.weight, self.radius)

    def check(self, records: Records) -> None:
        """Check that these are records of the model."""
        if records.n != self.model.n:
            raise InputError(f"there are {records.n} records; the model was calibrated for {self.model.n}.")
        if records.bound > self.model.bound:
            raise InputError(
                f"the records' features are bounded by {records.bound:g}; the model's guarantee needs "
                f"{self.model.bound:g} or less."
            )

    def simulate(self, records: Records, rng: np.random.Generator, size: int = 1) -> Array:
        """Draws of w in floats, a row each: for experiments, it protects nothing."""
        return self.drawn(records, rng, size).points

    def drawn(self, records: Records, rng: np.random.Generator, size: int, start: Array | None = None) -> Draws:
        """The same with what they took; the mode is sought from `start`."""
        self.check(records)
        if self.radius is not None and ball.binds(records.d, self.precision, self.radius):
            return ball.draw(records, self.precision, self.weight, self.radius, rng, size)
        return draw(envelope(self.target(records), start), rng, size)

    def release(self, records: Records, size: int | None = None) -> FixedPoint:
        """Draws of w, exact in bits; each costs the guarantee once."""
        return numbers(self.exact_law(records), size)

    def exact_law(self, records: Records) -> Law:
        """The law of w as a program of exact draws."""
        self.check(records)
        if self.radius is not None and ball.binds(records.d, self.precision, self.radius):
            return BallLaw(records, self.precision, self.weight, self.radius)
        return LogisticLaw(self.target(records))


@dataclass(frozen=True)
class RenyiPosterior(PrivatePosterior):
    """One whose promise is the line ε(λ) = 2ρ²c²λ/κ."""

    @property
    def guarantee(self) -> Renyi:
        """The whole line."""

        def curve(order: float) -> float:
            return math.inf if math.isinf(order) else self.level(order)

        return Renyi(curve, math.inf, Relation.REPLACE_ONE, self.model.conditions)

    def level(self, order: float) -> float:
        """2ρ²c²λ/κ for λ ≥ 1, rounded up."""
        return float_above(_level(self.model, self.precision, self.weight, _check_order(order)))

    @classmethod
    def calibrate(cls, model: Model, *, epsilon: float, order: float | None = None, delta: float | None = None) -> Self:
        """The least distorted member that is (order, epsilon)-RDP, or (epsilon, delta)-DP by its Gaussian reading."""
        epsilon = float(check_epsilons(epsilon)[0])
        check_one_of(order, delta)
        if order is not None:
            return cls._for_slope(model, Fraction(epsilon) / (2 * Fraction(_check_order(order))))
        assert delta is not None
        return cls._for_slope(model, Fraction(largest_mu(epsilon, delta)) ** 2 / 4)

    @classmethod
    @abstractmethod
    def _for_slope(cls, model: Model, most: Fraction) -> Self:
        """The least distorted member with ρ²c²/κ ≤ `most`, which is μ²/4, or ε/(2λ)."""


class DirectClassifier(RenyiPosterior):
    """The posterior itself (Theorem 16). Its privacy is what it is."""

    name = "logistic-direct"

    @classmethod
    def of(cls, model: Model) -> Self:
        """κ = nβ and ρ = 1."""
        return cls(model, model.precision, 1.0)

    @classmethod
    def _for_slope(cls, model: Model, most: Fraction) -> Self:
        direct = cls.of(model)
        if Fraction(model.bound) ** 2 > most * Fraction(direct.precision):
            raise InputError(
                f"the posterior itself has μ = {direct.gaussian.mu:.6g} and does not keep this promise; use the "
                "diffused or concentrated one."
            )
        return direct


class ConcentratedClassifier(RenyiPosterior):
    """Algorithm 4: a stronger prior."""

    name = "logistic-concentrated"

    @classmethod
    def _for_slope(cls, model: Model, most: Fraction) -> Self:
        if most == 0:
            raise InputError("no prior is strong enough for such a promise; raise epsilon or delta.")
        return cls(model, max(model.precision, float_above(Fraction(model.bound) ** 2 / most)), 1.0)


class DiffusedClassifier(RenyiPosterior):
    """Algorithm 5: records that count less."""

    name = "logistic-diffused"

    @classmethod
    def _for_slope(cls, model: Model, most: Fraction) -> Self:
        square = most * Fraction(model.precision) / Fraction(model.bound) ** 2
        return cls(model, model.precision, _largest(lambda rho: rho**2 <= square, _root(min(square, Fraction(1)))))


@dataclass(frozen=True)
class TruncatedClassifier(PrivatePosterior):
    """OPS: the tempered posterior on the ball ‖w‖ ≤ c/β. What its prior's precision is costs nothing."""

    name = "logistic-ops"

    @property
    def radius(self) -> float:
        """c/β, rounded down."""
        exact = Fraction(self.model.bound) / Fraction(self.model.regularity)
        near = float(exact)
        return near if near <= exact else math.nextafter(near, 0.0)

    @property
    def guarantee(self) -> Pure:
        """2ρcR, R the radius."""
        epsilon = float_above(2 * Fraction(self.weight) * Fraction(self.model.bound) * Fraction(self.radius))
        return Pure(epsilon, Relation.REPLACE_ONE, self.model.conditions)

    @classmethod
    def calibrate(cls, model: Model, *, epsilon: float, printed: bool = False) -> Self:
        """ρ for ε-DP; as printed in the paper, half of that."""
        epsilon = float(check_epsilons(epsilon)[0])
        radius = cls(model, model.precision, 1.0).radius
        cost = (4 if printed else 2) * Fraction(model.bound) * Fraction(radius)
        weight = _largest(lambda rho: rho * cost <= epsilon, float(epsilon / cost))
        return cls(model, weight * model.precision, weight)


Classifier = DirectClassifier | ConcentratedClassifier | DiffusedClassifier | TruncatedClassifier


def _level(model: Model, precision: float, weight: float, order: float) -> Fraction:
    slope = Fraction(weight) * Fraction(model.bound)
    return 2 * slope**2 * Fraction(order) / Fraction(precision)


def _root(square: Fraction) -> float:
    """√ of a rational number above 0 to all digits, also where the number itself is below every float."""
    half = (square.denominator.bit_length() - square.numerator.bit_length()) // 2
    return math.ldexp(math.sqrt(square * Fraction(4) ** half), -half)


def _largest(keeps: Callable[[Fraction], bool], near: float) -> float:
    """A float of at most 1 that keeps a promise, next to one that is there but for rounding."""
    weight = min(near, 1.0)
    while weight > 0 and not keeps(Fraction(weight)):
        weight = math.nextafter(weight, 0.0)
    if weight == 0:
        raise InputError("no weight of a record is small enough for such a promise; raise epsilon.")
    return weight


def _check_order(order: float) -> float:
    if not 1 <= order < math.inf:
        raise InputError(f"order is {order:g}; these promises are at orders of 1 (which is KL) or more.")
    return float(order)
