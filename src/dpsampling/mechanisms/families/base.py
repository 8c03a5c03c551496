"""What the posterior samplers of thesis chapter 5 ask of a conjugate exponential family."""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.numerics.arrays import Array
from dpsampling.numerics.enclosure import Enclosure
from dpsampling.numerics.exact.draws import Law


class ConjugateFamily(Protocol):
    """Pr(θ | η) = exp(T(θ)·η − C(η)), thesis eq. (5.10), whose last coordinate of η is the pseudo-count.

    Data x₁…x_n move η₀ to η₀ + Σ (S(x_i), 1). The weights below are those of Algorithms 2 and 3: the posterior is
    `prior_weight`·η₀ + `data_weight`·Σ (S(x_i), 1), with r = `data_weight` and 1/m = `prior_weight`.

    A prior is η₀. A law of θ is carried by parameters that keep their digits, its shapes where it has any: in η, a
    shape is a difference of large numbers once n is large.
    """

    def check_prior(self, prior: ArrayLike) -> Array:
        """η₀ as an array, or an InputError that says what a prior of this family is."""

    def check_statistic(self, statistic: ArrayLike, n: float) -> Array:
        """Σ S(x_i) as an array, or an InputError when no n records have it."""

    def check_records(self, n: float) -> float:
        """The number of records, or an InputError."""

    def law(self, eta: ArrayLike) -> Array:
        """The law Pr(θ | η)."""

    def posterior(
        self,
        prior: ArrayLike,
        statistic: ArrayLike,
        n: float,
        *,
        data_weight: ArrayLike = 1.0,
        prior_weight: ArrayLike = 1.0,
    ) -> Array:
        """The law of the weighted posterior, for each statistic (broadcast against the weights)."""

    def renyi_divergence(self, law_p: ArrayLike, law_q: ArrayLike, order: ArrayLike) -> Array:
        """R_λ(P‖Q) of two laws, thesis eq. (5.15)."""

    def divergence_by_step(self, law_p: ArrayLike, step: ArrayLike, order: ArrayLike) -> Array:
        """R_λ(P‖Q) for Q = P − step in a law's parameters, with the step exact, where subtracting would lose it."""

    def worst_case_divergence(
        self,
        prior: ArrayLike,
        n: float,
        order: ArrayLike,
        *,
        data_weight: ArrayLike = 1.0,
        prior_weight: ArrayLike = 1.0,
        rounding: float = 0.0,
    ) -> Array:
        """sup R_λ over posteriors whose data differ in one of n records, with laws as real numbers.

        With `rounding`, an upper bound for laws whose parameters are floats: by so much of the larger one are two of
        them off together, for the sum w α₀ + r s alone.
        """

    def enclosed_level(
        self, prior: ArrayLike, n: float, order: float, *, data_weight: Fraction, prior_weight: Fraction
    ) -> Enclosure:
        """The same supremum of laws as real numbers at rational weights, certified: all floats are what they are."""

    def worst_pair(
        self, prior: ArrayLike, n: float, order: float, *, data_weight: float = 1.0, prior_weight: float = 1.0
    ) -> tuple[Array, Array]:
        """The statistics (Σ S, n) of two neighbouring data sets that attain it."""

    def order_horizon(self, prior: ArrayLike, *, data_weight: float = 1.0, prior_weight: float = 1.0) -> float:
        """λ*, the order from which that supremum is infinite (Theorem 7)."""

    def simulate(self, population: float, n: float, rng: np.random.Generator, size: int) -> Array:
        """Σ S(x_i) of n records of a population, for each of `size` data sets."""

    def log_likelihood(self, statistic: ArrayLike, n: float, theta: ArrayLike) -> Array:
        """ln Pr(X | θ) of data with this statistic, up to what does not depend on θ."""

    def sample(self, law: ArrayLike, rng: np.random.Generator, size: int | tuple[int, ...] | None = None) -> Array:
        """Draws of θ in floats."""

    def exact_law(
        self, prior: ArrayLike, statistic: ArrayLike, n: float, *, data_weight: Fraction, prior_weight: Fraction
    ) -> Law:
        """The weighted posterior of one data set as a program of exact draws, its parameters read as rationals."""

    def log_density(self, law: ArrayLike, theta: ArrayLike) -> Array:
        """ln Pr(θ) of a law."""
