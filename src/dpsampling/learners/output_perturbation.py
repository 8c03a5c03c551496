r"""A minimiser with noise: output perturbation (Chaudhuri, Monteleoni and Sarwate 2011; DP review 2019 section 5.7).

    radial      w + b,  density of b ∝ e^{−ε‖b‖/S}                          ε-DP
    Gaussian    w + N(0, σ²I),  σ the least for (ε, δ) at sensitivity S      (Balle and Wang 2018)

    S = 2R/(nΛ) + 2γ/Λ

as neighbours' J differ by (ℓ(z·w) − ℓ(z′·w))/n, a function of slope 2R/n at most, and each J is Λ-strongly convex; of a
point with a gradient of length γ either is γ/Λ off. The noise has mean length dS/ε.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from dpsampling.foundations.noise import GaussianMechanism
from dpsampling.learners.linear_model import LinearModel
from dpsampling.learners.noise import Noise
from dpsampling.learners.regularised import RELATION, PerturbedClassifier
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.enclosure import Enclosure
from dpsampling.privacy.guarantee import Approximate, Pure
from dpsampling.privacy.rounding import float_above


@dataclass(frozen=True)
class _PerturbedOutput(PerturbedClassifier):
    """What both kinds of noise are added to."""

    @property
    def sensitivity(self) -> Fraction:
        """S."""
        return (2 * Fraction(self.bound) / self.n + 2 * self.gradient_target) / Fraction(self.regularisation)


@dataclass(frozen=True)
class OutputPerturbation(_PerturbedOutput):
    """ε-DP by radial noise."""

    @property
    def guarantee(self) -> Pure:
        """ε-DP; the rate of `release` is exact."""
        return Pure(self.epsilon, RELATION, (), lambda: Enclosure(self.epsilon, self.epsilon))

    @property
    def rate(self) -> Fraction:
        """ε/S."""
        return Fraction(self.epsilon) / self.sensitivity

    def learning(self, signed: Array, start: Array | None = None) -> Callable[[Noise], LinearModel]:
        """Return what adds radial noise to the minimiser."""
        minimum = self.minimum(signed, start)
        return lambda noise: LinearModel(noise.radial(minimum, self.rate), self.guarantee, self._diagnostics())


@dataclass(frozen=True)
class GaussianOutputPerturbation(_PerturbedOutput):
    """(ε, δ)-DP by Gaussian noise."""

    delta: float

    def __post_init__(self) -> None:
        super().__post_init__()
        self.mechanism  # noqa: B018  # so that ε and δ fit

    @property
    def mechanism(self) -> GaussianMechanism:
        """The noise, whose whole curve is `mechanism.gaussian`."""
        sensitivity = float_above(self.sensitivity)
        return GaussianMechanism.analytic(sensitivity, self.epsilon, self.delta, self.dimension, RELATION)

    @property
    def guarantee(self) -> Approximate:
        """(ε, δ)."""
        return Approximate(self.epsilon, self.delta, RELATION)

    def learning(self, signed: Array, start: Array | None = None) -> Callable[[Noise], LinearModel]:
        """Return what adds Gaussian noise to the minimiser."""
        minimum, sigma = self.minimum(signed, start), self.mechanism.sigma
        return lambda noise: LinearModel(noise.gaussian(minimum, sigma), self.guarantee, self._diagnostics())
