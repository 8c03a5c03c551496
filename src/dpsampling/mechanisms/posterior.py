r"""Algorithms 1–3 of thesis section 5.3: one draw from a posterior whose data or prior weigh differently.

    Algorithm 1, direct         θ ~ Pr(θ | η₀ + Σ (S(x_i), 1))
    Algorithm 2, diffused       θ ~ Pr(θ | η₀ + r Σ (S(x_i), 1)),      0 < r ≤ 1
    Algorithm 3, concentrated   θ ~ Pr(θ | η₀/m + Σ (S(x_i), 1)),      0 < m ≤ 1

Each promises R_λ ≤ ε(λ) below its horizon λ*, where ε(λ) is the family's supremum over neighbouring data (Theorem 10).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.errors import InputError
from dpsampling.mechanisms.calibration import (
    PARAMETER_ROUNDING,
    SCALE_MARGIN,
    VALUE_MARGIN,
    certify,
    certify_delta,
    check_delta,
    check_epsilons,
    check_one_of,
    check_order,
    largest_scale,
    least_distorted,
)
from dpsampling.mechanisms.families.base import ConjugateFamily
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.enclosure import Enclosure
from dpsampling.numerics.exact.draws import Law, numbers
from dpsampling.numerics.exact.fixed_point import FixedPoint
from dpsampling.privacy.accounting import to_approximate
from dpsampling.privacy.guarantee import Relation, Renyi


@dataclass(frozen=True, eq=False)
class WeightedPosterior:
    """The common part: θ ~ Pr(θ | prior_weight·η₀ + data_weight·(Σ S(x_i), n)).

    Args:
        family: the conjugate family, such as `BetaBernoulli()`.
        prior: its natural parameters η₀, such as [6, 18] for Beta(6, 12).
        n: the public number of records, a whole number from 1 on.
        scale: r, or m, above 0 and at most 1, where it is the posterior itself.
    """

    family: ConjugateFamily
    prior: ArrayLike
    n: float
    scale: float = 1.0

    name: ClassVar[str]

    def __post_init__(self) -> None:
        object.__setattr__(self, "prior", self.family.check_prior(self.prior))
        object.__setattr__(self, "n", self.family.check_records(self.n))
        if not 0 < self.scale <= 1:
            raise InputError(f"scale is {self.scale:g}; it must be above 0 and at most 1.")

    @staticmethod
    def weights(scale: ArrayLike) -> dict[str, Array]:
        """`data_weight` and `prior_weight` at a scale: the scale itself on the data, and 1 on the prior."""
        scale = np.asarray(scale, dtype=float)
        return {"data_weight": scale, "prior_weight": np.ones_like(scale)}

    @staticmethod
    def exact_weights(scale: float) -> tuple[Fraction, Fraction]:
        """The same two as the rational numbers that they are."""
        return Fraction(scale), Fraction(1)

    # -- what it promises ----------------------------------------------------------------------------------------

    @classmethod
    def divergence(
        cls,
        family: ConjugateFamily,
        prior: ArrayLike,
        n: float,
        order: ArrayLike,
        scale: ArrayLike,
        rounding: float = 0.0,
    ) -> Array:
        """The exact level ε at (order, scale), arrays allowed: the curves of Figures 5.1 and 5.2."""
        weights = cls.weights(scale)
        r, weight = weights["data_weight"], weights["prior_weight"]
        return family.worst_case_divergence(prior, n, order, data_weight=r, prior_weight=weight, rounding=rounding)

    @classmethod
    def promised(cls, family: ConjugateFamily, prior: ArrayLike, n: float, order: ArrayLike, scale: ArrayLike) -> Array:
        """An upper bound on it, above 0, that also holds for laws as the floats that they are sampled with."""
        # A scale beyond 1 is only ever evaluated here, for the sake of the margin.
        scale = np.asarray(scale, dtype=float) * SCALE_MARGIN
        level = cls.divergence(family, prior, n, order, scale, PARAMETER_ROUNDING)
        return np.maximum(level * VALUE_MARGIN, np.nextafter(level, np.inf))

    @property
    def guarantee(self) -> Renyi:
        """The whole curve λ ↦ ε(λ) with its horizon λ*."""

        def curve(order: float) -> float:
            return float(self.promised(self.family, self.prior, self.n, order, self.scale))

        # The curve is infinite from the pole on; where rounding puts the pole is the curve's business.
        horizon = math.nextafter(self.order_horizon, math.inf)
        return Renyi(curve, horizon, Relation.REPLACE_ONE, ("one exact draw",), self.enclosed_level)

    def enclosed_level(self, order: float) -> Enclosure:
        """ε(λ) of the laws that `release` draws from, with its certificate; +inf from λ* on, to the last digit."""
        r, weight = self.exact_weights(self.scale)
        return self.family.enclosed_level(self.prior, self.n, order, data_weight=r, prior_weight=weight)

    @property
    def order_horizon(self) -> float:
        """λ*, the order from which nothing is promised."""
        weights = {key: float(value) for key, value in self.weights(self.scale).items()}
        return self.family.order_horizon(self.prior, **weights)

    # -- how it spends ε -----------------------------------------------------------------------------------------

    @classmethod
    def calibrate(
        cls,
        family: ConjugateFamily,
        prior: ArrayLike,
        n: float,
        *,
        epsilon: float,
        order: float | None = None,
        delta: float | None = None,
    ) -> Self:
        """Calibrate the least distorted member that is (order, ε)-RDP, or (ε, δ)-DP at the best of all orders.

        Args:
            family: the conjugate family, such as `BetaBernoulli()`.
            prior: its natural parameters η₀, such as [6, 18] for Beta(6, 12).
            n: the public number of records, a whole number from 1 on.
            epsilon: ε, above 0 and finite.
            order: a finite Rényi order above 1; give either this or `delta`.
            delta: δ, above 0 and below 1.
        """
        return least_distorted(partial(cls._at_order, family, prior, n), order=order, epsilon=epsilon, delta=delta)

    @classmethod
    def _at_order(cls, family: ConjugateFamily, prior: ArrayLike, n: float, order: float, epsilon: float) -> Self:
        return cls(family, prior, n, float(cls.calibrated_scales(family, prior, n, order=order, epsilons=epsilon)[0]))

    @classmethod
    def calibrated_scales(
        cls, family: ConjugateFamily, prior: ArrayLike, n: float, *, order: float, epsilons: ArrayLike
    ) -> Array:
        """The largest scale for each ε; every one of them satisfies its promise."""
        prior, n, order = family.check_prior(prior), family.check_records(n), check_order(order)
        return largest_scale(lambda scale: cls.promised(family, prior, n, order, scale), epsilons)

    # -- what it releases ----------------------------------------------------------------------------------------

    def output_parameter(self, statistic: ArrayLike) -> Array:
        """The law that θ is drawn from, for data with Σ S(x_i) = `statistic`."""
        statistic = self.family.check_statistic(statistic, self.n)
        return self.parameter(self.family, self.prior, self.n, statistic, self.scale)

    @classmethod
    def parameter(
        cls, family: ConjugateFamily, prior: ArrayLike, n: float, statistic: ArrayLike, scale: ArrayLike
    ) -> Array:
        """That law for `statistic` and `scale` broadcast together."""
        return family.posterior(prior, statistic, n, **cls.weights(scale))

    @classmethod
    def kl_from_posterior(
        cls, family: ConjugateFamily, prior: ArrayLike, n: float, statistic: ArrayLike, scale: ArrayLike
    ) -> Array:
        """KL(P‖A) from the true posterior to the output law, for each scale.

        Their parameters differ by (1−r)(Σ S, n) − (1−m)/m η₀, which keeps its digits as r and m tend to 1.
        """
        weights = cls.weights(scale)
        less_data, scale = 1.0 - weights["data_weight"], np.asarray(scale, dtype=float)
        more_prior = np.where(weights["prior_weight"] == 1.0, 0.0, (1.0 - scale) / scale)
        step = family.posterior(prior, statistic, n, data_weight=less_data, prior_weight=-more_prior)
        return family.divergence_by_step(family.posterior(prior, statistic, n), step, 1.0)

    def release(self, statistic: ArrayLike, size: int | None = None) -> FixedPoint:
        """Draw θ for one data set, exactly; each draw costs the guarantee once.

        Args:
            statistic: Σ S(x_i) of its n records: a sum, or a row of all counts but the last.
            size: how many draws, 1 or more, each at that cost; None is one draw by itself.
        """
        return numbers(self.exact_law(statistic), size)

    def exact_law(self, statistic: ArrayLike) -> Law:
        """The law that θ is drawn from, as a program of exact draws."""
        data, prior = self.exact_weights(self.scale)
        return self.family.exact_law(self.prior, statistic, self.n, data_weight=data, prior_weight=prior)

    def simulate(self, statistic: ArrayLike, rng: np.random.Generator, size: int | None = None) -> Array:
        """Draw θ in floats: for experiments, it protects nothing.

        Args:
            statistic: Σ S(x_i) of one data set, or of several.
            rng: where the randomness comes from.
            size: how many draws of each, along the first axis; None is one, without that axis.
        """
        law = self.output_parameter(statistic)
        return self.family.sample(law, rng, None if size is None else (size, *np.shape(law)[:-1]))

    def log_density(self, theta: ArrayLike, statistic: ArrayLike) -> Array:
        """The log-density of one release at θ."""
        return self.family.log_density(self.output_parameter(statistic), theta)

    def worst_pair(self, order: float) -> tuple[Array, Array]:
        """Statistics (Σ S, n) of two neighbouring data sets that attain the guarantee at this order."""
        weights = {key: float(value) for key, value in self.weights(self.scale).items()}
        return self.family.worst_pair(self.prior, self.n, order, **weights)


class DirectPosterior(WeightedPosterior):
    """Algorithm 1: the posterior itself, at the scale 1. Its privacy is what it is: it cannot be calibrated."""

    name = "direct"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scale != 1:
            raise InputError(
                f"scale is {self.scale:g}; the direct posterior has no scale; use the diffused or concentrated one."
            )

    @classmethod
    def calibrated_scales(
        cls, family: ConjugateFamily, prior: ArrayLike, n: float, *, order: float, epsilons: ArrayLike
    ) -> Array:
        """There is no scale to calibrate."""
        del family, prior, n, order, epsilons
        raise InputError("the direct posterior has no scale; calibrate the diffused or concentrated one.")

    @classmethod
    def calibrate(
        cls,
        family: ConjugateFamily,
        prior: ArrayLike,
        n: float,
        *,
        epsilon: float,
        order: float | None = None,
        delta: float | None = None,
    ) -> Self:
        """Return the posterior, if it is (order, ε)-RDP, or (ε, δ)-DP; parameters are those of `WeightedPosterior`."""
        check_one_of(order, delta)
        direct, target = cls(family, prior, n), float(check_epsilons(epsilon)[0])
        if order is not None:
            where, level = f"order {order:g}", direct.guarantee.epsilon(check_order(order))
        else:
            delta = check_delta(delta)
            where, level = f"delta {delta:g}", to_approximate(direct.guarantee, delta).epsilon
        if level > target:
            reason = (
                f"its level there is {level:.6g}"
                if math.isfinite(level)
                else f"it promises nothing from order {direct.order_horizon:g} on"
            )
            raise InputError(
                f"epsilon is {epsilon:g} at {where}; the direct posterior cannot reach that ({reason}); "
                "use the diffused or concentrated posterior."
            )
        if order is not None:
            certify(direct.enclosed_level(order), target, f" at {where}")
        elif delta is not None:
            certify_delta(direct.guarantee, target, delta)
        return direct


class DiffusedPosterior(WeightedPosterior):
    """Algorithm 2: each record counts for r = `scale` of a record."""

    name = "diffused"


class ConcentratedPosterior(WeightedPosterior):
    """Algorithm 3: the prior counts 1/m times, m = `scale`."""

    name = "concentrated"

    @staticmethod
    def weights(scale: ArrayLike) -> dict[str, Array]:
        """1/m on the prior."""
        scale = np.asarray(scale, dtype=float)
        return {"data_weight": np.ones_like(scale), "prior_weight": 1.0 / scale}

    @staticmethod
    def exact_weights(scale: float) -> tuple[Fraction, Fraction]:
        """1 and 1/m."""
        return Fraction(1), 1 / Fraction(scale)
