r"""Linear classifiers by regularised risk: what is public of them, and what they are without privacy.

    w* = argmin (1/n) Σ ℓ(z_i·w) + Λ‖w‖²/2,    z_i = (2y_i − 1) x_i,  ‖x_i‖ ≤ R

Neighbours differ in one record, so that n is public. A minimiser is found to within a public length γ of its gradient:
γ = R/(2¹⁶ n), a trifle of what one record adds to it, 2R/n.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.errors import InputError
from dpsampling.learners import rows
from dpsampling.learners.linear_model import LinearModel
from dpsampling.learners.losses import Loss
from dpsampling.learners.minimiser import Objective, least_ridge, minimise, rounding
from dpsampling.learners.noise import InBits, InFloats, Noise
from dpsampling.mechanisms.calibration import check_epsilons
from dpsampling.numerics.arrays import Array
from dpsampling.privacy.guarantee import Relation

RELATION = Relation.REPLACE_ONE
SHARE = Fraction(1, 2**16)  # γ in R/n
MOST = 10**7  # records and features


@dataclass(frozen=True)
class RegularisedClassifier:
    """n rows of `dimension` features, none longer than `bound` = R; `regularisation` is Λ."""

    loss: Loss
    n: int
    dimension: int
    bound: float
    regularisation: float

    def __post_init__(self) -> None:
        for name in ("n", "dimension"):
            value = getattr(self, name)
            if not (1 <= value <= MOST and float(value).is_integer()):
                raise InputError(f"{name} is {value:g}; it must be a whole number from 1 to {MOST}.")
        for name in ("bound", "regularisation"):
            value = getattr(self, name)
            if not 1e-100 <= value <= 1e100:
                raise InputError(f"{name} is {value:g}; it must be above 0, between 1e-100 and 1e100.")
        length = self._longest(self.regularisation)
        lost = rounding(self.loss, self.n, self.dimension, self.bound, self.regularisation, length, 0.0)
        flat = self.regularisation < least_ridge(self.loss, self.n, self.dimension, self.bound)
        if flat or lost > 0.5 * float(self.gradient_target):
            raise InputError(
                f"regularisation is {self.regularisation:g} for n = {self.n} rows of norm {self.bound:g}; floats do "
                "not tell its minimum well enough: raise it."
            )

    @property
    def gradient_target(self) -> Fraction:
        """γ."""
        return SHARE * Fraction(self.bound) / self.n

    def signed(self, features: ArrayLike, labels: ArrayLike) -> Array:
        """z_i, of rows that are clipped to the bound."""
        given = rows.matrix("features", features, self.dimension)
        if len(given) != self.n:
            raise InputError(f"there are {len(given)} rows; n = {self.n} of them are public: give as many.")
        signs = 2.0 * rows.labels(labels, self.n) - 1.0
        return np.ascontiguousarray(rows.within(given, self.bound) * signs[:, None])

    def minimiser(self, features: ArrayLike, labels: ArrayLike, start: Array | None = None) -> Array:
        """w*, but for γ/Λ."""
        return self.minimum(self.signed(features, labels), start)

    def minimum(self, signed: Array, start: Array | None = None) -> Array:
        """The same of rows that are `signed`."""
        objective = Objective(signed, self.loss, self.bound, self.regularisation, np.zeros(self.dimension))
        return minimise(objective, float(self.gradient_target), start)

    def without_privacy(self, features: ArrayLike, labels: ArrayLike) -> LinearModel:
        """w* itself, which protects nothing."""
        return LinearModel(self.minimiser(features, labels), None, self._diagnostics())

    def _longest(self, ridge: float) -> float:
        """Of ‖w*‖: Λ‖w‖ ≤ R where the gradient is 0, and Λ‖w‖²/2 ≤ J(0) = ℓ(0) as J(w) is no more."""
        return min(self.bound / ridge, math.sqrt(2.0 * float(self.loss.value(np.zeros(1))[0]) / ridge))

    def _diagnostics(self) -> dict[str, float]:
        return {"gradient_target": float(self.gradient_target)}


@dataclass(frozen=True)
class PerturbedClassifier(RegularisedClassifier, ABC):
    """One that noise makes private, at a level ε."""

    epsilon: float

    def __post_init__(self) -> None:
        super().__post_init__()
        check_epsilons(self.epsilon)

    def fit(
        self, features: ArrayLike, labels: ArrayLike, rng: np.random.Generator, start: Array | None = None
    ) -> LinearModel:
        """With noise in floats: for experiments, it protects nothing."""
        return self.learning(self.signed(features, labels), start)(InFloats(rng))

    def release(self, features: ArrayLike, labels: ArrayLike) -> LinearModel:
        """With exact noise, at the cost of the guarantee."""
        return self._learn(features, labels, InBits())

    def _learn(self, features: ArrayLike, labels: ArrayLike, noise: Noise) -> LinearModel:
        return self.learning(self.signed(features, labels))(noise)

    @abstractmethod
    def learning(self, signed: Array, start: Array | None = None) -> Callable[[Noise], LinearModel]:
        """Return what noise makes of rows that are `signed`; what no noise is in is computed once, for all repeats."""
