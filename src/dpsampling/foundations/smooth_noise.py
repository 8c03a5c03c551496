r"""Noise of scale S(x)/α, for S a β-smooth bound on the local sensitivity, and what it keeps.

Neighbours have |f(x) − f(x′)| ≤ min(S(x), S(x′)) and S(x)/S(x′) = e^λ, |λ| ≤ β. With the smaller scale as the unit
their laws are a location shift of u ≤ α and a ratio of scales e^{|λ|} apart, and that is all there is:

    Cauchy      D_∞ = arcosh((D² + s² + t²)/(2st)), the hyperbolic distance of (0, s) and (D, t) in the half-plane:

                    cosh ε = max{1 + α²/2, cosh β + α² e^{−β}/2}                     exactly

    Laplace     ε = ∞ as soon as scales differ; δ(ε) of `laplace_pair`
    Gaussian    δ(ε) of `gaussian_pair`

For both of the latter δ grows with u. From the wider to the narrower law it grows with λ while u² ≤ 2ε (Laplace u ≤ ε):
the worst is λ = β. The other way λ is cut into cells of width h, in which q is at least e^{−h} times that of the cell's
start, so that δ(ε) is at most δ(ε − h) there. All of it in balls (docs/foundations.md has the proofs).

Nissim, Raskhodnikova and Smith 2007 have other constants, which `usual` gives: they keep far more than they promise.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.errors import InputError
from dpsampling.foundations import gaussian_pair, laplace_pair
from dpsampling.foundations.smooth_sensitivity import SLACK, check_beta
from dpsampling.mechanisms.calibration import check_delta, check_epsilons
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.enclosure import as_ball, enclose
from dpsampling.numerics.exact.arguments import single
from dpsampling.numerics.exact.draws import Law, numbers
from dpsampling.numerics.exact.fixed_point import FixedPoint
from dpsampling.numerics.exact.laws import Cauchy, Gaussian, Laplace
from dpsampling.privacy.guarantee import Approximate, Pure, Relation

if TYPE_CHECKING:
    from flint import arb

Excess = Callable[..., "arb"]

CELLS = 32  # that λ is cut into
LARGEST = 600.0  # whose e^ε is still a float
WIDE = 2.0**-20  # of the largest α, noise that hides every shift
HALVINGS = 50  # of an interval that α is looked for in
CONDITIONS = ("smooth is a β-smooth upper bound on the local sensitivity of value",)


@dataclass(frozen=True)
class SmoothNoise(ABC):
    """f(x) + (S(x)/`alpha`) Z for Z of a standard law, S smooth with `beta`."""

    alpha: float
    beta: float

    def __post_init__(self) -> None:
        check_beta(self.beta)
        if not 0 < self.alpha < math.inf:
            raise InputError(f"alpha is {self.alpha:g}; it must be above 0 and finite.")

    @property
    @abstractmethod
    def guarantee(self) -> Pure | Approximate:
        """Return what it keeps, rounded up."""

    def release(self, value: float, smooth: float, size: int | None = None) -> FixedPoint:
        """The noisy value of one data set, each at the cost of the guarantee."""
        location, bound = single("value", value), single("smooth", smooth)
        if not 0 < bound < math.inf:
            raise InputError("smooth is not above 0 and finite; it bounds a sensitivity, and only constants have none.")
        return numbers(self._law(Fraction(location), Fraction(bound) / Fraction(self.alpha)), size)

    def simulate(self, value: ArrayLike, smooth: ArrayLike, rng: np.random.Generator, size: int | None = None) -> Array:
        """The same in floats for each value: for experiments, it protects nothing."""
        values, bounds = np.broadcast_arrays(np.asarray(value, dtype=float), np.asarray(smooth, dtype=float))
        shape = values.shape if size is None else (size, *values.shape)
        return np.asarray(values + bounds / self.alpha * self._standard(rng, shape))

    def log_density(self, y: ArrayLike, value: float, smooth: float) -> Array:
        """Of one release."""
        scale = smooth / self.alpha
        return self._log_standard((np.asarray(y, dtype=float) - value) / scale) - math.log(scale)

    @abstractmethod
    def _law(self, value: Fraction, scale: Fraction) -> Law: ...

    @abstractmethod
    def _standard(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array: ...

    @abstractmethod
    def _log_standard(self, z: Array) -> Array: ...


@dataclass(frozen=True)
class SmoothCauchy(SmoothNoise):
    """Z of density 1/(π(1 + z²)): ε-DP."""

    relation: Relation = Relation.REPLACE_ONE

    @property
    def guarantee(self) -> Pure:
        """ε-DP with the ε that cosh ε gives."""
        return Pure(_cauchy_level(self.alpha, self.beta), self.relation, CONDITIONS)

    @classmethod
    def usual(cls, epsilon: float) -> Self:
        """α = β = ε/6, said to be ε-DP."""
        epsilon = float(check_epsilons(epsilon)[0])
        return cls(epsilon / 6.0, epsilon / 6.0)

    @classmethod
    def calibrate(cls, *, epsilon: float, beta: float | None = None) -> Self:
        """The least noise that is ε-DP with this β, ε/2 if none is given."""
        epsilon = float(check_epsilons(epsilon)[0])
        if epsilon > LARGEST:
            raise InputError(f"epsilon is {epsilon:g}; Cauchy noise is calibrated for {LARGEST:g} or less.")
        beta = _below(epsilon, epsilon / 2.0 if beta is None else beta)
        return cls(_largest(lambda alpha: _cauchy_level(alpha, beta) <= epsilon, 2.0 * math.sinh(epsilon / 2.0)), beta)

    def _law(self, value: Fraction, scale: Fraction) -> Law:
        return Cauchy(scale, value)

    def _standard(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        return np.asarray(rng.standard_cauchy(shape))

    def _log_standard(self, z: Array) -> Array:
        return -np.log1p(z * z) - math.log(math.pi)


@dataclass(frozen=True)
class ApproximateNoise(SmoothNoise):
    """Noise with lighter tails, which needs a δ."""

    epsilon: float
    relation: Relation = Relation.REPLACE_ONE

    def __post_init__(self) -> None:
        super().__post_init__()
        check_epsilons(self.epsilon)
        _below(self.epsilon, self.beta)
        if self.alpha > self._most(self.epsilon):
            raise InputError(
                f"alpha is {self.alpha:g}; at ε = {self.epsilon:g} it must be {self._most(self.epsilon):.6g} or less."
            )

    @property
    def guarantee(self) -> Approximate:
        """(ε, δ) with the largest δ that such neighbours have."""
        delta = _worst_delta(self._excess(), self.alpha, self.beta, self.epsilon)
        return Approximate(self.epsilon, delta, self.relation, CONDITIONS)

    @classmethod
    def calibrate(cls, *, epsilon: float, delta: float, beta: float | None = None) -> Self:
        """The least noise that is (ε, δ)-DP with this β; without one that of `usual`, halved until there is any."""
        delta, epsilon = check_delta(delta), float(check_epsilons(epsilon)[0])
        excess = cls._excess()
        if beta is None:
            beta = cls._usual(epsilon, delta)[1]
            while _worst_delta(excess, WIDE * cls._most(epsilon), beta, epsilon) > delta:
                beta /= 2.0
        beta = _below(epsilon, beta)
        likely = _largest(lambda alpha: _wider_delta(excess, alpha, beta, epsilon) <= delta, cls._most(epsilon))
        return cls(_largest(lambda alpha: _worst_delta(excess, alpha, beta, epsilon) <= delta, likely), beta, epsilon)

    @classmethod
    def usual(cls, epsilon: float, delta: float) -> Self:
        """The constants of Nissim, Raskhodnikova and Smith 2007, said to be (ε, δ)-DP."""
        return cls(*cls._usual(float(check_epsilons(epsilon)[0]), check_delta(delta)), epsilon)

    @staticmethod
    @abstractmethod
    def _usual(epsilon: float, delta: float) -> tuple[float, float]: ...

    @staticmethod
    @abstractmethod
    def _most(epsilon: float) -> float:
        """The largest α whose worst ratio of scales is known."""

    @staticmethod
    @abstractmethod
    def _excess() -> Excess: ...


@dataclass(frozen=True)
class SmoothLaplace(ApproximateNoise):
    """Z of density e^{−|z|}/2."""

    @staticmethod
    def _usual(epsilon: float, delta: float) -> tuple[float, float]:
        return epsilon / 2.0, epsilon / (2.0 * math.log(2.0 / delta))

    @staticmethod
    def _most(epsilon: float) -> float:
        return epsilon

    @staticmethod
    def _excess() -> Excess:
        return laplace_pair.excess

    def _law(self, value: Fraction, scale: Fraction) -> Law:
        return Laplace(scale, value)

    def _standard(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        return np.asarray(rng.laplace(size=shape))

    def _log_standard(self, z: Array) -> Array:
        return -np.abs(z) - math.log(2.0)


@dataclass(frozen=True)
class SmoothGaussian(ApproximateNoise):
    """Z of density e^{−z²/2}/√(2π)."""

    @staticmethod
    def _usual(epsilon: float, delta: float) -> tuple[float, float]:
        log = math.log(2.0 / delta)
        return epsilon / (5.0 * math.sqrt(2.0 * log)), epsilon / (4.0 * (1.0 + log))

    @staticmethod
    def _most(epsilon: float) -> float:
        return math.sqrt(2.0 * epsilon)

    @staticmethod
    def _excess() -> Excess:
        return gaussian_pair.excess

    def _law(self, value: Fraction, scale: Fraction) -> Law:
        return Gaussian(value, scale**2)

    def _standard(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        return np.asarray(rng.standard_normal(shape))

    def _log_standard(self, z: Array) -> Array:
        return -z * z / 2.0 - math.log(2.0 * math.pi) / 2.0


# -- what a pair of scales keeps ---------------------------------------------------------------------------------------


def _cauchy_level(alpha: float, beta: float) -> float:
    def level() -> arb:
        a, b = as_ball(alpha), as_ball(beta) + as_ball(SLACK)
        alike, apart = 1 + a * a / 2, b.cosh() + a * a * (-b).exp() / 2
        return alike.max(apart).acosh()

    return enclose(level).upper


def _wider_delta(excess: Excess, alpha: float, beta: float, epsilon: float) -> float:
    """From the wider law to the narrower one, at λ = β."""

    def wider() -> arb:
        return excess(as_ball(alpha), (as_ball(beta) + as_ball(SLACK)).exp(), as_ball(epsilon), equal=False)

    return enclose(wider).upper


@cache
def _worst_delta(excess: Excess, alpha: float, beta: float, epsilon: float) -> float:
    """δ(ε) of the worst pair, rounded up."""
    worst = _wider_delta(excess, alpha, beta, epsilon)
    for cell in range(CELLS):

        def narrower(cell: int = cell) -> arb:
            width = (as_ball(beta) + as_ball(SLACK)) / CELLS
            ratio = (-width * cell).exp()
            return excess(as_ball(alpha) * ratio, ratio, as_ball(epsilon) - width, equal=cell == 0)

        worst = max(worst, enclose(narrower).upper)
    return worst


def _largest(keeps: Callable[[float], bool], most: float) -> float:
    """The largest α found that keeps a promise, by bisection on what promises less and less."""
    if keeps(most):
        return most
    low, high = 0.0, most
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if keeps(middle) else (low, middle)
    if low == 0.0:
        raise InputError("beta is too large: scales that far apart are told by their widths alone; lower beta.")
    return low


def _below(epsilon: float, beta: float) -> float:
    """A change of scale alone costs β or more."""
    check_beta(beta)
    if not beta < epsilon:
        raise InputError(
            f"beta is {beta:g}; it must be below ε = {epsilon:g}, which a change of scale alone would cost."
        )
    return beta
