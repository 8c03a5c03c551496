r"""The baseline of thesis section 5.4: a noisy sufficient statistic, and then the usual posterior.

    s̃ = min(max(Σ x_i + N(0, σ²), 0), n),        θ ~ Pr(θ | η₀ + (s̃, n)).

Releasing s̃ is (λ, λΔ²/(2σ²))-RDP for every order (Mironov 2017, Cor. 3), so σ² = λΔ²/(2ε) reaches (λ, ε). The thesis
prints λΔ²/σ², twice that; its figures were drawn with the tight value. Both calibrations are offered.

The law of θ is a mixture: with Φ the normal distribution function and φ its density,

    A(θ) = Φ(−s/σ) p₀(θ) + Φ((s−n)/σ) p_n(θ) + ∫₀ⁿ φ((t−s)/σ)/σ · p_t(θ) dt,        p_t = Pr(· | η₀ + (t, n)).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_ndtr

from dpsampling.errors import InputError
from dpsampling.mechanisms.calibration import VALUE_MARGIN, check_epsilons, check_order, least_distorted
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.enclosure import UNBOUNDED, Enclosure, enclose_rational
from dpsampling.numerics.exact.arguments import single
from dpsampling.numerics.exact.draws import numbers, one_each
from dpsampling.numerics.exact.fixed_point import FixedPoint
from dpsampling.numerics.exact.laws import Gaussian, LogitBeta
from dpsampling.numerics.log_concave import log_integral, nodes_and_weights
from dpsampling.privacy.guarantee import Relation, Renyi
from dpsampling.privacy.rounding import float_above

CLOSE = 1e-5
OUTER_PANELS = 6  # ln A/P bends near θ's bulk when the posterior has long tails
Calibration = Literal["tight", "printed"]
HALVES: dict[str, float] = {"tight": 2.0, "printed": 1.0}  # h in σ² = λΔ²/(hε)


@dataclass(frozen=True, eq=False)
class GaussianStatistic:
    """Gaussian noise of standard deviation `sigma` on the number of successes, clipped to [0, n] (n is public)."""

    family: BetaBernoulli
    prior: ArrayLike
    n: float
    sigma: float

    name: ClassVar[str] = "gaussian"

    def __post_init__(self) -> None:
        object.__setattr__(self, "prior", self.family.check_prior(self.prior))
        object.__setattr__(self, "n", self.family.check_records(self.n))
        if not 0 < self.sigma < math.inf:
            raise InputError(f"sigma is {self.sigma:g}; the noise needs a finite standard deviation above 0.")

    @property
    def guarantee(self) -> Renyi:
        """ε(λ) = λΔ²/(2σ²), at every order; θ is post-processing of the noisy statistic."""
        rate = (Fraction(self.family.sensitivity) / Fraction(self.sigma)) ** 2 / 2 * Fraction(VALUE_MARGIN)
        return Renyi(
            lambda order: float_above(Fraction(order) * rate),
            relation=Relation.REPLACE_ONE,
            enclosed=self.enclosed_level,
        )

    def enclosed_level(self, order: float) -> Enclosure:
        """The rational number λΔ²/(2σ²)."""
        if math.isinf(order):
            return UNBOUNDED
        return enclose_rational(Fraction(order) * (Fraction(self.family.sensitivity) / Fraction(self.sigma)) ** 2 / 2)

    @classmethod
    def calibrate(
        cls,
        family: BetaBernoulli,
        prior: ArrayLike,
        n: float,
        *,
        epsilon: float,
        order: float | None = None,
        delta: float | None = None,
        calibration: Calibration = "tight",
    ) -> Self:
        """The least noise that is (order, epsilon)-RDP, or (epsilon, delta)-DP at the best of all orders.

        With "printed" it is the thesis's √2 times as much, at an order.
        """
        if delta is not None and calibration != "tight":
            raise InputError(f"calibration is '{calibration}'; with delta it is 'tight', the other is for an order.")
        at_order = partial(cls._at_order, family, prior, n, calibration)
        return least_distorted(at_order, order=order, epsilon=epsilon, delta=delta)

    @classmethod
    def _at_order(
        cls, family: BetaBernoulli, prior: ArrayLike, n: float, calibration: Calibration, order: float, epsilon: float
    ) -> Self:
        return cls(family, prior, n, float(cls.calibrated_sigmas(family, order, epsilon, calibration)[0]))

    @staticmethod
    def calibrated_sigmas(
        family: BetaBernoulli, order: float, epsilons: ArrayLike, calibration: Calibration = "tight"
    ) -> Array:
        """σ for each ε: σ² = λΔ²/(2ε) (tight) or λΔ²/ε (printed)."""
        if calibration not in HALVES:
            raise InputError(f"calibration is '{calibration}'; it is 'tight' or 'printed'.")
        # The margin is paid twice: once in the guarantee, once for the rounding of the square root.
        return family.sensitivity * np.sqrt(
            check_order(order) * VALUE_MARGIN**2 / (HALVES[calibration] * check_epsilons(epsilons))
        )

    def release_statistic(self, statistic: ArrayLike, size: int | None = None) -> FixedPoint:
        """Σ x_i + N(0, σ²) of one data set, what the guarantee is about; clipping it is free, as is all made of it."""
        successes = single("successes", self.family.check_statistic(statistic, self.n))
        return numbers(Gaussian(successes, Fraction(self.sigma) ** 2), size)

    def release(self, statistic: ArrayLike, size: int | None = None) -> FixedPoint:
        """Draws of θ, each from its own noisy statistic of the data set; each costs the guarantee once."""
        noisy = self.release_statistic(statistic, size).clipped(0, int(self.n))
        alpha, beta = self.family.exact_shapes(self.prior)
        laws = [LogitBeta(alpha + s, beta + Fraction(self.n) - s) for s in noisy.fractions]
        return one_each(laws, noisy.shape)

    def simulate_statistic(self, statistic: ArrayLike, rng: np.random.Generator, size: int | None = None) -> Array:
        """s̃ in floats, clipped to [0, n], for each statistic; it protects nothing."""
        return np.clip(self.simulate_unclipped(statistic, rng, size), 0.0, self.n)

    def simulate_unclipped(self, statistic: ArrayLike, rng: np.random.Generator, size: int | None = None) -> Array:
        """The same before it is clipped."""
        statistic = self.family.check_statistic(statistic, self.n)
        shape = statistic.shape if size is None else (size, *statistic.shape)
        return statistic + self.sigma * rng.standard_normal(shape)

    def simulate(self, statistic: ArrayLike, rng: np.random.Generator, size: int | None = None) -> Array:
        """Draws of θ in floats for each statistic: for experiments, it protects nothing."""
        noisy = self.simulate_statistic(statistic, rng, size)
        return self.family.sample(self.family.posterior(self.prior, noisy, self.n), rng)

    def log_density(self, theta: ArrayLike, statistic: ArrayLike) -> Array:
        """ln A(θ) of one statistic."""
        base = self.family.log_density(self.family.posterior(self.prior, statistic, self.n), theta)
        ratio = log_mixture_ratio(self.family, self.prior, self.n, float(np.asarray(statistic)), self.sigma, theta)
        return base + ratio

    def worst_pair(self, order: float) -> tuple[Array, Array]:
        """Two neighbouring statistics; the promise is about s̃ before clipping, where every pair and order is alike."""
        del order
        middle = math.floor(self.n / 2.0)
        return np.array([middle, self.n]), np.array([middle + 1.0, self.n])


@dataclass(frozen=True)
class UnclippedStatistic:
    """The noisy statistic before it is clipped, as a mechanism of its own: what the guarantee is tight for."""

    inner: GaussianStatistic

    @property
    def guarantee(self) -> Renyi:
        """That of the whole mechanism."""
        return self.inner.guarantee

    def release(self, statistic: ArrayLike, size: int | None = None) -> FixedPoint:
        """Noisy statistics of one data set."""
        return self.inner.release_statistic(statistic, size)

    def simulate(self, statistic: ArrayLike, rng: np.random.Generator, size: int | None = None) -> Array:
        """Noisy statistics in floats: for experiments, it protects nothing."""
        return self.inner.simulate_unclipped(statistic, rng, size)

    def log_density(self, value: ArrayLike, statistic: ArrayLike) -> Array:
        """The normal log-density at `value`."""
        z = (np.asarray(value, dtype=float) - np.asarray(statistic, dtype=float)) / self.inner.sigma
        return -0.5 * z * z - math.log(self.inner.sigma * math.sqrt(2.0 * math.pi))

    def worst_pair(self, order: float) -> tuple[Array, Array]:
        """Every pair is alike."""
        return self.inner.worst_pair(order)


def log_mixture_ratio(
    family: BetaBernoulli, prior: ArrayLike, n: float, statistic: float, sigma: ArrayLike, theta: ArrayLike
) -> Array:
    r"""ln A(θ)/p_s(θ) with s = `statistic`, for `sigma` and `theta` broadcast together.

    p_t(θ)/p_s(θ) = exp((t−s) θ + C(η_s) − C(η_t)) is log-concave in t, and so is the normal weight.
    """
    sigma, theta = np.broadcast_arrays(np.asarray(sigma, dtype=float), np.asarray(theta, dtype=float))
    reference = family.log_partition(family.posterior(prior, statistic, n))

    def log_ratio(t: Array) -> Array:
        return (t - statistic) * theta + reference - family.log_partition(family.posterior(prior, t, n))

    def log_weighted(t: Array) -> Array:
        z = (t - statistic) / sigma
        return log_ratio(t) - 0.5 * z * z - np.log(sigma) - 0.5 * math.log(2.0 * math.pi)

    # Beyond 40σ the normal weight is below e^-800, so the peak is looked for on its own scale.
    low, high = np.clip(statistic - 40.0 * sigma, 0.0, n), np.clip(statistic + 40.0 * sigma, 0.0, n)
    parts = (
        log_ndtr(-statistic / sigma) + log_ratio(np.zeros(theta.shape)),
        log_ndtr((statistic - n) / sigma) + log_ratio(np.full(theta.shape, n)),
        log_integral(log_weighted, low, high),
    )
    return np.logaddexp(np.logaddexp(parts[0], parts[1]), parts[2])


def kl_from_posterior(family: BetaBernoulli, prior: ArrayLike, n: float, statistic: float, sigmas: ArrayLike) -> Array:
    """KL(P‖A) = −E_P[ln A/P] for each σ, with P the true posterior; absolute error below 1e-8 (see the tests)."""
    sigmas = np.atleast_1d(np.asarray(sigmas, dtype=float))
    posterior = family.posterior(prior, statistic, n)
    alpha, beta = posterior
    # Beyond these θ the posterior's log-density has fallen by far more than the quadrature looks at.
    reach = 60.0 + 60.0 / min(alpha, beta)
    centre = math.log(alpha / beta)

    def log_posterior(theta: Array) -> Array:
        return family.log_density(posterior, theta)

    theta, weights = nodes_and_weights(log_posterior, centre - reach, centre + reach, panels=OUTER_PANELS)
    mass = weights * np.exp(log_posterior(theta))
    ratio = log_mixture_ratio(family, prior, n, statistic, sigmas[:, np.newaxis], theta[np.newaxis, :])
    direct = -(ratio @ mass)
    # Where A is close to P, E_P[A/P] = 1 makes it E_P[A/P − 1 − ln(A/P)], whose integrand is not negative and does not
    # cancel. Where they differ, A has mass at θ that P does not reach, and the first form is the right one.
    close = np.minimum(ratio, 1.0)
    return np.where(direct < CLOSE, (np.expm1(close) - close) @ mass, direct)
