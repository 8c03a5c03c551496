r"""Noise on the k numbers f(X): the review's Laplace and Gaussian mechanisms (DP review 2019 Definitions 3.5, 3.14).

    Laplace     f(X) + (L₁, …, L_k),  L of scale β:      |ln ratio| ≤ ‖f(X) − f(X′)‖₁/β ≤ κ/β = ε     (Proposition 3.6)
    Gaussian    f(X) + (N₁, …, N_k),  N of variance σ²:  δ(ε) = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ),  μ = κ/σ

Neighbours are data sets at distance 1 of the review, one sample more or less; κ is the Lipschitz constant of f, in L1
for Laplace and in L2 for Gaussian noise. Noise of a spherical Gaussian is seen along f(X′) − f(X) alone, so that the
curve δ(ε) is exact where ‖f(X′) − f(X)‖₂ = κ is attained. Three σ for a promise (ε, δ):

    classical   √(2 ln(5/(4δ))) κ/ε                              (Proposition 3.15; refused where it does not hold)
    analytic    the least: κ/μ for the largest μ with δ(ε) ≤ δ   (Balle and Wang 2018)
    of ρ        κ/√(2ρ): R_λ = λρ at every order, ρ-zCDP         (Bun and Steinke 2016)

The classical one keeps (ε, δ) for ε up to an ε*(δ), and for no greater ε (docs/foundations.md):
ε* is 5.74 at δ = .1, 8.42 at 10⁻⁵, and nowhere below 3.78 that was looked at.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.errors import InputError
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.enclosure import Enclosure, as_ball, enclose
from dpsampling.numerics.exact.arguments import row
from dpsampling.numerics.exact.draws import numbers
from dpsampling.numerics.exact.fixed_point import FixedPoint
from dpsampling.numerics.exact.laws import Gaussian, Laplace
from dpsampling.privacy.gaussian_dp import GaussianDP, largest_mu, root_above
from dpsampling.privacy.guarantee import Approximate, Pure, Relation, Renyi
from dpsampling.privacy.rounding import float_above


@dataclass(frozen=True)
class LaplaceMechanism:
    """Noise of scale κ/ε on each of `dimension` numbers that neighbours move by `sensitivity` = κ in L1 together."""

    sensitivity: float
    epsilon: float
    dimension: int = 1
    relation: Relation = Relation.ADD_OR_REMOVE_ONE

    def __post_init__(self) -> None:
        _check_positive(sensitivity=self.sensitivity, epsilon=self.epsilon)
        _check_dimension(self.dimension)
        if math.isinf(self.scale):
            raise InputError(
                f"epsilon is {self.epsilon:g} at sensitivity {self.sensitivity:g}; their ratio is beyond all floats: "
                "raise ε."
            )

    @property
    def scale(self) -> float:
        """β = κ/ε, rounded up."""
        return float_above(self._scale)

    @property
    def _scale(self) -> Fraction:
        return Fraction(self.sensitivity) / Fraction(self.epsilon)

    @property
    def guarantee(self) -> Pure:
        """ε-DP, to the last digit: `release` draws at κ/ε itself."""
        conditions = (_moved(self.sensitivity, 1),)
        return Pure(self.epsilon, self.relation, conditions, lambda: Enclosure(self.epsilon, self.epsilon))

    def release(self, values: ArrayLike, size: int | None = None) -> FixedPoint:
        """f(X) and noise, of one data set; each row of them costs the guarantee once."""
        exact = check_values(row("values", values), self.dimension)
        laws = [Laplace(self._scale, value) for value in exact.tolist()]
        return numbers(lambda tape: [law(tape) for law in laws], size)

    def simulate(self, values: ArrayLike, rng: np.random.Generator, size: int | None = None) -> Array:
        """The same in floats, for each row of values: for experiments, it protects nothing."""
        exact = check_values(values, self.dimension)
        return exact + rng.laplace(0.0, self.scale, exact.shape if size is None else (size, *exact.shape))

    def log_density(self, released: ArrayLike, values: ArrayLike) -> Array:
        """−Σ |z_j − f_j|/β − k ln 2β, over the last axis."""
        exact = check_values(values, self.dimension)
        distance = np.abs(np.asarray(released, dtype=float) - exact).sum(axis=-1)
        return np.asarray(-distance / self.scale - self.dimension * math.log(2.0 * self.scale))


@dataclass(frozen=True)
class GaussianMechanism:
    """Noise of variance `sigma`² on each of `dimension` numbers that neighbours move by `sensitivity` = κ in L2."""

    sensitivity: float
    sigma: float
    dimension: int = 1
    relation: Relation = Relation.ADD_OR_REMOVE_ONE

    def __post_init__(self) -> None:
        _check_positive(sensitivity=self.sensitivity, sigma=self.sigma)
        _check_dimension(self.dimension)

    @classmethod
    def classical(
        cls,
        sensitivity: float,
        epsilon: float,
        delta: float,
        dimension: int = 1,
        relation: Relation = Relation.ADD_OR_REMOVE_ONE,
    ) -> Self:
        """The σ of Proposition 3.15, where it keeps (ε, δ)."""
        mechanism = cls(sensitivity, classical_sigma(sensitivity, epsilon, delta), dimension, relation)
        spent = mechanism.gaussian.delta(epsilon)
        if spent > delta:
            raise InputError(
                f"epsilon is {epsilon:g}; there the classical σ has δ = {spent:.3g}, above {delta:g}: "
                "use the analytic one."
            )
        return mechanism

    @classmethod
    def analytic(
        cls,
        sensitivity: float,
        epsilon: float,
        delta: float,
        dimension: int = 1,
        relation: Relation = Relation.ADD_OR_REMOVE_ONE,
    ) -> Self:
        """The least σ for (ε, δ)."""
        _check_positive(sensitivity=sensitivity)
        mu = largest_mu(epsilon, delta)
        if mu == 0:
            raise InputError(
                f"delta is {delta:g} at epsilon {epsilon:g}; no finite noise keeps that: raise one of them."
            )
        # κ/σ is then at most μ, and as μ is a float, so is κ/σ rounded up.
        return cls(sensitivity, float_above(Fraction(sensitivity) / Fraction(mu)), dimension, relation)

    @classmethod
    def concentrated(
        cls, sensitivity: float, rho: float, dimension: int = 1, relation: Relation = Relation.ADD_OR_REMOVE_ONE
    ) -> Self:
        """ρ-zCDP: σ = κ/√(2ρ), rounded up."""
        _check_positive(sensitivity=sensitivity, rho=rho)
        return cls(sensitivity, root_above(Fraction(sensitivity) ** 2 / (2 * Fraction(rho))), dimension, relation)

    @property
    def gaussian(self) -> GaussianDP:
        """All that it promises: μ = κ/σ, rounded up."""
        return GaussianDP(_mu(self.sensitivity, self.sigma), self.relation, (_moved(self.sensitivity, 2),))

    @property
    def guarantee(self) -> Renyi:
        """R_λ = λκ²/(2σ²) at every order."""
        return self.gaussian.renyi()

    def approximate(self, delta: float) -> Approximate:
        """The least ε for this δ, from the whole curve."""
        return self.gaussian.approximate(delta)

    def release(self, values: ArrayLike, size: int | None = None) -> FixedPoint:
        """f(X) and noise, of one data set; each row of them costs the guarantee once."""
        exact = check_values(row("values", values), self.dimension)
        laws = [Gaussian(value, Fraction(self.sigma) ** 2) for value in exact.tolist()]
        return numbers(lambda tape: [law(tape) for law in laws], size)

    def simulate(self, values: ArrayLike, rng: np.random.Generator, size: int | None = None) -> Array:
        """The same in floats, for each row of values: for experiments, it protects nothing."""
        exact = check_values(values, self.dimension)
        return exact + self.sigma * rng.standard_normal(exact.shape if size is None else (size, *exact.shape))

    def log_density(self, released: ArrayLike, values: ArrayLike) -> Array:
        """−‖z − f‖²/(2σ²) − k ln σ√(2π), over the last axis."""
        z = (np.asarray(released, dtype=float) - check_values(values, self.dimension)) / self.sigma
        return np.asarray(
            -0.5 * (z * z).sum(axis=-1) - self.dimension * math.log(self.sigma * math.sqrt(2.0 * math.pi))
        )


def classical_sigma(sensitivity: float, epsilon: float, delta: float) -> float:
    """√(2 ln(5/(4δ))) κ/ε, rounded up: at which ε and δ it keeps its promise is another matter."""
    _check_positive(sensitivity=sensitivity, epsilon=epsilon)
    if not 0 < delta <= 1:
        raise InputError(f"delta is {delta:g}; it must be a probability above 0, at most 1.")
    ratio = Fraction(5, 4) / Fraction(delta)
    return enclose(lambda: (2 * as_ball(ratio).log()).sqrt() * as_ball(sensitivity) / as_ball(epsilon)).upper


def classical_limit(delta: float) -> float:
    """ε*(δ): the classical σ keeps (ε, δ) up to here and no further, as its δ(ε) rises with ε; rounded down.

    With c = √(2 ln(5/(4δ))) that is Φ(ε/(2c) − c) − e^ε Φ(−ε/(2c) − c), of μ = ε/c.
    """
    if not 0 < delta < 1:
        raise InputError(f"delta is {delta:g}; it must be above 0 and below 1.")

    def kept(epsilon: float) -> bool:
        return GaussianDP(_mu(1.0, classical_sigma(1.0, epsilon, delta))).delta(epsilon) <= delta

    low, high = 1.0, 2.0
    while kept(high):
        low, high = high, 2.0 * high
    while high - low > 2.0**-40 * high:
        middle = (low + high) / 2.0
        low, high = (middle, high) if kept(middle) else (low, middle)
    return low


def check_values(values: ArrayLike, dimension: int) -> Array:
    """Finite numbers, `dimension` of them along the last axis."""
    exact = np.asarray(values, dtype=float)
    if exact.ndim == 0 or exact.shape[-1] != dimension:
        raise InputError(f"values has shape {exact.shape}; give {dimension} numbers, one for each dimension.")
    if not np.all(np.isfinite(exact)):
        raise InputError(f"values holds {exact[~np.isfinite(exact)].flat[0]:g}; each must be a finite number.")
    return exact


def _mu(sensitivity: float, sigma: float) -> float:
    return float_above(Fraction(sensitivity) / Fraction(sigma))


def _moved(sensitivity: float, norm: int) -> str:
    return f"neighbours' values differ by at most {sensitivity:g} in L{norm}"


def _check_positive(**values: float) -> None:
    for name, value in values.items():
        if not 0 < value < math.inf:
            raise InputError(f"{name} is {value:g}; it must be above 0 and finite.")


def _check_dimension(dimension: int) -> None:
    if not (dimension >= 1 and float(dimension).is_integer()):
        raise InputError(f"dimension is {dimension:g}; it must be a whole number, 1 or more.")
