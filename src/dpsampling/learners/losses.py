r"""Convex losses ℓ of a margin t = (2y − 1) x·w with |ℓ′| ≤ 1 and |ℓ″| ≤ c.

    logistic       ln(1 + e^{−t})                                                        c = ¼
    Huber hinge    0 beyond 1 + h, (1 + h − t)²/(4h) within h of 1, 1 − t below          c = 1/(2h)

The second has no ℓ″ at 1 ± h; ℓ′ is Lipschitz there, which is all that is asked (docs/learners-classifiers.md).
Slopes are computed with a bound on their error that rests on nothing but rounded sums, products and quotients.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np

from dpsampling.errors import InputError
from dpsampling.learners.logistic.enclosed_loss import decay, loss
from dpsampling.numerics.arrays import Array


class Loss(Protocol):
    """What a learner asks of a loss."""

    @property
    def name(self) -> str:
        """As tables have it."""

    @property
    def curvature(self) -> Fraction:
        """c."""

    @property
    def slope_error(self) -> float:
        """How far a computed slope is off at most."""

    def value(self, t: Array) -> Array:
        """ℓ."""

    def slope(self, t: Array) -> Array:
        """ℓ′."""

    def bend(self, t: Array) -> Array:
        """ℓ″, where there is one."""


@dataclass(frozen=True)
class Logistic:
    """ln(1 + e^{−t})."""

    name = "logistic"
    curvature = Fraction(1, 4)
    slope_error = 2.0**-46  # e^{−|t|} is off by 2⁻⁴⁸, what is made of it by no more and three roundings

    def value(self, t: Array) -> Array:
        """ℓ."""
        return loss(t)

    def slope(self, t: Array) -> Array:
        """−1/(1 + e^t)."""
        small = decay(np.abs(t))
        return -np.where(t > 0.0, small, 1.0) / (1.0 + small)

    def bend(self, t: Array) -> Array:
        """e^t/(1 + e^t)²."""
        small = decay(np.abs(t))
        return small / (1.0 + small) ** 2


@dataclass(frozen=True)
class HuberHinge:
    """The hinge max(0, 1 − t), rounded off within `width` = h of its corner."""

    width: float = 0.5

    name = "Huber hinge"
    slope_error = 2.0**-46  # two roundings of (1 + h − t)/(2h), which ends at 0 and 1, if h is no less than `LEAST`

    LEAST = 2.0**-5

    def __post_init__(self) -> None:
        if not self.LEAST <= self.width <= 1.0:
            raise InputError(f"width is {self.width:g}; the corner is rounded off within {self.LEAST:g} to 1 of it.")

    @property
    def curvature(self) -> Fraction:
        """1/(2h)."""
        return 1 / (2 * Fraction(self.width))

    def value(self, t: Array) -> Array:
        """ℓ."""
        inside = np.clip(1.0 + self.width - t, 0.0, 2.0 * self.width)
        return inside**2 / (4.0 * self.width) + np.maximum(1.0 - self.width - t, 0.0)

    def slope(self, t: Array) -> Array:
        """From −1 to 0, straight."""
        return -np.clip((1.0 + self.width - t) / (2.0 * self.width), 0.0, 1.0)

    def bend(self, t: Array) -> Array:
        """1/(2h) within h of 1."""
        return np.where(np.abs(1.0 - t) < self.width, 1.0 / (2.0 * self.width), 0.0)
