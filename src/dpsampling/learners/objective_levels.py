r"""What of ε the noise b of objective perturbation may take, and how strong a regulariser that needs.

For the exact minimiser of J(w) + bᵀw/n, b of density ∝ e^{−ε′‖b‖/(2R)}, with a = cR²/(nΛ):

    2008     ε′ = ε                                      claimed by Chaudhuri and Monteleoni; false
    2011     ε′ = ε − ln(1 + 2a + a²)                    Chaudhuri, Monteleoni and Sarwate; if that is 0 or less,
             Λ′ = cR²/(n(e^{ε/4} − 1)) and ε′ = ε/2
    tight    ε′ = ε − ln(1 + a)                          if that is less than ε/2,
             Λ′ = cR²/(n(e^{ε/2} − 1)) and ε′ = ε/2

as commonly stated, but for the last. All is rounded so that the level of the numbers that come out is at most ε.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from dpsampling.learners.losses import Loss
from dpsampling.learners.regularised import RegularisedClassifier
from dpsampling.numerics.enclosure import as_ball, enclose

if TYPE_CHECKING:
    from flint import arb

Accounting = Literal["2008", "2011", "tight"]


@dataclass(frozen=True)
class Levels:
    """ε′ of the noise, and Λ′ of the regulariser."""

    noise: Fraction
    ridge: float


def levels(accounting: Accounting, learner: RegularisedClassifier, epsilon: Fraction) -> Levels:
    """Of this learner at ε."""
    ridge = learner.regularisation
    if accounting == "2008":
        return Levels(epsilon, ridge)
    times, least = (2, Fraction(0)) if accounting == "2011" else (1, epsilon / 2)
    noise = epsilon - times * Fraction(slack(learner.loss, learner.bound, learner.n, ridge))
    if noise > 0 and noise >= least:
        return Levels(noise, ridge)
    ridge = max(ridge, _enough(learner, epsilon / (2 * times)))
    spent = times * Fraction(slack(learner.loss, learner.bound, learner.n, ridge))
    return Levels(min(epsilon / 2, epsilon - spent), ridge)


def slack(loss: Loss, bound: float, n: int, ridge: float) -> float:
    """ln(1 + cR²/(nΛ)), rounded up: what the Jacobian takes."""
    ratio = loss.curvature * Fraction(bound) ** 2 / (n * Fraction(ridge))
    return _above(lambda: as_ball(ratio).log1p())


def _enough(learner: RegularisedClassifier, epsilon: Fraction) -> float:
    """The Λ at which that is ε, rounded up."""
    curved = learner.loss.curvature * Fraction(learner.bound) ** 2 / learner.n
    return _above(lambda: as_ball(curved) / as_ball(epsilon).expm1())


def _above(compute: Callable[[], arb]) -> float:
    return enclose(compute).upper
