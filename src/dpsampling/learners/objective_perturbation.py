r"""A minimiser of a noisy objective: objective perturbation (Chaudhuri et al. 2011; DP review 2019 section 5.7).

    w_b = argmin (1/n) Σ ℓ(z_i·w) + Λ′‖w‖²/2 + b·w/n,    density of b ∝ e^{−ε′‖b‖/(2R)}

b is a function of w_b, −nΛ′w − Σ ℓ′(z_i·w) z_i, so that w_b has the density ∝ e^{−ε′‖b(w)‖/(2R)} |∂b/∂w|. Of
neighbours the first factor differs by e^{ε′} at most, the second by 1 + cR²/(nΛ′): `objective_levels` shares ε out.

That is the exact minimiser's. A point w̃ with a gradient within γ is a function of the rows and of w_b, and γ/Λ′ from
w_b at most. Had w_b been published, w̃ − w_b with radial noise of rate ε″Λ′/(2γ) would cost ε″ more; w̃ with that noise
is a function of both: ε in all (after the approximate minima of Iyengar et al. 2019). b is known to the last place of
floats, which counts as a gradient too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpsampling.errors import InputError
from dpsampling.learners.linear_model import LinearModel
from dpsampling.learners.minimiser import UNIT, Objective, minimise, rounding
from dpsampling.learners.noise import Noise
from dpsampling.learners.objective_levels import Accounting, Levels, levels
from dpsampling.learners.regularised import RELATION, PerturbedClassifier
from dpsampling.numerics.arrays import Array
from dpsampling.privacy.guarantee import Pure

COVER = Fraction(1, 128)  # ε″/ε
SELDOM = 50.0  # −ln of how often b is longer than is reckoned with


@dataclass(frozen=True)
class ObjectivePerturbation(PerturbedClassifier):
    """ε-DP by noise on the objective, under the tight accounting or that of 2011."""

    accounting: Accounting = "tight"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.accounting not in ("tight", "2011"):
            raise InputError(f"accounting is '{self.accounting}'; it is 'tight' or '2011'.")
        if not self._lost <= 0.5 * float(self.gradient_target):
            raise InputError(
                f"epsilon is {self.epsilon:g} for n = {self.n} rows of norm {self.bound:g}; beside so much noise "
                "floats do not tell the minimum well enough: raise epsilon, or scale the rows and their bound to 1."
            )

    @property
    def _lost(self) -> float:
        """Return what floats may do to a gradient at any b but for some of probability e^{−SELDOM}: of a Gamma(d)."""
        found, d = self.levels, self.dimension
        length = 2.0 * self.bound / float(found.noise) * (d + math.sqrt(2.0 * d * SELDOM) + SELDOM)
        weights = self._longest(found.ridge) + 2.0 * length / (self.n * found.ridge)
        lost = rounding(self.loss, self.n, d, self.bound, found.ridge, weights, length / self.n)
        return lost + self._error_of(length)

    def _error_of(self, length: float) -> float:
        """How far b/n in floats is from that of the b that was drawn."""
        return UNIT * (length + math.sqrt(self.dimension)) / self.n

    @property
    def guarantee(self) -> Pure:
        """ε-DP."""
        return Pure(self.epsilon, RELATION)

    @property
    def levels(self) -> Levels:
        """ε′ and Λ′, of what is left of ε beside ε″."""
        return levels(self.accounting, self, Fraction(self.epsilon) * (1 - COVER))

    @property
    def cover_rate(self) -> Fraction:
        """ε″Λ′/(2γ)."""
        return Fraction(self.epsilon) * COVER * Fraction(self.levels.ridge) / (2 * self.gradient_target)

    def learning(self, signed: Array, start: Array | None = None) -> Callable[[Noise], LinearModel]:
        """Return what minimises a noisy objective, and covers by noise how far off the minimum is."""
        levels, cover = self.levels, self.cover_rate
        more = {"ridge": levels.ridge, "noise_level": float(levels.noise)}

        def learn(noise: Noise) -> LinearModel:
            b = noise.radial(np.zeros(self.dimension), levels.noise / (2 * Fraction(self.bound)))
            error = self._error_of(float(np.linalg.norm(b)))
            objective = Objective(signed, self.loss, self.bound, levels.ridge, b / self.n, error)
            point = minimise(objective, float(self.gradient_target), start)
            return LinearModel(noise.radial(point, cover), self.guarantee, {**self._diagnostics(), **more})

        return learn
