r"""How a fit of the hidden Markov model spends ε (thesis §4.5, UAI 2016's supplement E.1).

Neighbours differ in one entry of the log, which may move to another region and month. With D features of K_d outcomes:

    Laplace   every count vector of every training cell gets noise once, of scale 2D/ε: replacing an entry moves two
              counts of each feature by one. ε/D a feature; everything after it is post-processing. A model of one
              state needs corpus-wide counts alone, and only these get noise.
    OPS       θ_j^(k,d) ≥ a₀ = 1/(M K_d) bounds an entry's log-likelihood ratio by
              Δ = Σ_d ln(M K_d − K_d + 1); the joint posterior of (Z, θ) to the power 1/T, T = max(1, 2Δ/ε), then
              releases one sample at cost 2Δ/T ≤ ε, if it is an exact one. Otherwise each of the two updates of an
              iteration costs as much (§4.4.1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpsampling.errors import InputError
from dpsampling.mechanisms import tempering
from dpsampling.privacy.accounting import repeat
from dpsampling.privacy.guarantee import Guarantee, Pure
from dpsampling.privacy.rounding import round_up
from dpsampling.warlogs.names import CLIP, LAPLACE, NOISE_AWARE, NON_PRIVATE, OPS, SUM_THEN_CLIP

VARIANTS = (CLIP, SUM_THEN_CLIP, NOISE_AWARE)


@dataclass(frozen=True)
class NonPrivate:
    """The model as it is."""

    name = NON_PRIVATE
    variant = "none"
    epsilon = math.inf

    def guarantee(self, sizes: tuple[int, ...], iterations: int) -> None:
        """None."""


@dataclass(frozen=True)
class NoisyCounts:
    """The Laplace mechanism on counts; `variant` says what is made of negative ones."""

    epsilon: float
    variant: str = CLIP
    name = LAPLACE

    def __post_init__(self) -> None:
        _check_epsilon(self.epsilon)
        if self.variant not in VARIANTS:
            raise InputError(f"variant is '{self.variant}'; it must be {' or '.join(VARIANTS)}.")

    def scale(self, features: int) -> float:
        """2D/ε, rounded up."""
        return round_up(2.0 * features / self.epsilon)

    def release(self, counts: NDArray[np.float64], features: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Counts of any shape with noise on each, not yet clipped."""
        return counts + rng.laplace(0.0, self.scale(features), size=counts.shape)

    def guarantee(self, sizes: tuple[int, ...], iterations: int) -> Guarantee:  # noqa: ARG002  # as the others
        """ε, whatever the chain does."""
        return Pure(self.epsilon)


@dataclass(frozen=True)
class OnePosteriorSample:
    """One draw from the tempered, truncated joint posterior of states and emissions."""

    epsilon: float
    multiplier: float  # M
    name = OPS

    def __post_init__(self) -> None:
        _check_epsilon(self.epsilon)
        if not self.multiplier > 1:
            raise InputError(f"multiplier is {self.multiplier:g}; it must be above 1, or nothing is left to sample.")

    @property
    def variant(self) -> str:
        """How the tables name it."""
        return f"M={self.multiplier:g}"

    def floors(self, sizes: tuple[int, ...]) -> NDArray[np.float64]:
        """a₀ of each feature."""
        return np.array([1.0 / (self.multiplier * k) for k in sizes])

    def sensitivity(self, sizes: tuple[int, ...]) -> float:
        """Δ."""
        return tempering.joint_sensitivity(self.floors(sizes).tolist(), sizes)

    def temperature(self, sizes: tuple[int, ...]) -> float:
        """T, rounded up."""
        return tempering.temperature(self.sensitivity(sizes), self.epsilon)

    def update(self, sizes: tuple[int, ...]) -> float:
        """2Δ/T: ε, or less where the untempered posterior is cheaper than that."""
        return min(self.epsilon, tempering.cost(self.sensitivity(sizes)))

    def guarantee(self, sizes: tuple[int, ...], iterations: int) -> Guarantee:
        """2Δ/T if the chain has converged, and what is certain without that."""
        worst = self.unconverged(sizes, iterations)
        return Pure(
            self.update(sizes),
            conditions=(f"the released sample is exact: the chain has converged; without that ε = {worst.epsilon:g}",),
        )

    def unconverged(self, sizes: tuple[int, ...], iterations: int) -> Pure:
        """The price of every Gibbs update by itself: two blocks an iteration."""
        total = repeat(Pure(self.update(sizes)), 2 * iterations)
        assert isinstance(total, Pure)
        return total


Mechanism = NonPrivate | NoisyCounts | OnePosteriorSample


def _check_epsilon(epsilon: float) -> None:
    if not 0 < epsilon < math.inf:
        raise InputError(f"epsilon is {epsilon:g}; it must be above 0 and finite.")
