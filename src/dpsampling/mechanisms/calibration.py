r"""The least distortion that keeps a promise, found on the private side of it, and certified.

At an order, the largest scale is found by bisection. At (ε, δ) the order is free: with L(t) the part of the bound that
does not depend on the mechanism, a member of scale s promises

    ε(s) = min over t of [R(s, 1 + t) + L(t)],        L(t) = −ln(1 + 1/t) + [ln 1/δ − ln(1 + t)]/t,

R(s, λ) its Rényi level, which grows with s. Two searches take turns: the best order t′ of the scale s, and the largest
scale s′ with R(s′, 1 + t′) ≤ ε − L(t′). Both are exact (`privacy.accounting` has the first), s′ ≥ s as s itself keeps
that level, and where s′ = s no larger scale is left: ε(s) = ε, and ε(·) grows. Next to the best order the bound hardly
changes with it, so that few turns are needed, as of Newton's steps. By KL ≤ R alone, a level of −ln(1 − δ²) at the
least order does for any ε: what is less distorted is taken.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.errors import InputError
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.enclosure import Enclosure
from dpsampling.privacy.accounting import LEAST_EXCESS, best_order, epsilon_at_order, level_at_order, level_by_kl
from dpsampling.privacy.guarantee import Renyi

# Divergences are computed to a few units in the last place; promises are made at a scale and with a value that
# lie further out than that.
SCALE_MARGIN = 1.0 + 2.0**-49
VALUE_MARGIN = 1.0 + 2.0**-40
# The sum w α₀ + r s that is a parameter of a law is rounded by 2^-53 of itself at most, and so is its neighbour's:
# together by this of the larger one, which may be far more than 2^-49 of r.
PARAMETER_ROUNDING = 2.0**-52
SMALLEST_SCALE = 2.0**-400


class Curved(Protocol):
    """A mechanism with a Rényi curve."""

    @property
    def guarantee(self) -> Renyi:
        """Its curve."""


Calibrated = TypeVar("Calibrated", bound=Curved)


def least_distorted(
    at_order: Callable[[float, float], Calibrated], *, order: float | None, epsilon: float, delta: float | None
) -> Calibrated:
    """The mechanism for (order, epsilon)-RDP, or for (epsilon, delta)-DP over all orders.

    `at_order(λ, ε)` is the least distorted one at an order; the more it distorts, the lower is its whole curve.
    """
    epsilon = float(check_epsilons(epsilon)[0])
    check_one_of(order, delta)
    if order is not None:
        mechanism = at_order(check_order(order), epsilon)
        certify(_enclosed(mechanism.guarantee, order), epsilon, f" at order {order:g}")
        return mechanism
    delta = check_delta(delta)
    mechanism = _by_orders(at_order, epsilon, delta)
    nearest, level = 1.0 + LEAST_EXCESS, level_by_kl(delta)
    if mechanism.guarantee.epsilon(nearest) < level:
        mechanism = at_order(nearest, level)
    certify_delta(mechanism.guarantee, epsilon, delta)
    return mechanism


def _by_orders(at_order: Callable[[float, float], Calibrated], epsilon: float, delta: float) -> Calibrated:
    """The two searches in turn."""
    target = epsilon / VALUE_MARGIN  # the last digits of a level are not exact
    # L(t) < ln(1/δ)/t, so that something of ε is left for the level.
    order = 1.0 + max(LEAST_EXCESS, -math.log(delta) / epsilon)
    mechanism = at_order(order, level_at_order(target, order, delta))
    best = best_order(mechanism.guarantee, delta)
    while best.value < target / VALUE_MARGIN:
        candidate = at_order(best.order, level_at_order(target, best.order, delta))
        reached = best_order(candidate.guarantee, delta)
        if not best.value < reached.value <= epsilon:
            break
        mechanism, best = candidate, reached
    return mechanism


def certify(enclosure: Enclosure | None, epsilon: float, where: str = "") -> None:
    """An InputError if the exact level is not certain to be within the target."""
    if enclosure is not None and enclosure.upper > epsilon:
        raise InputError(
            f"epsilon is {epsilon:.17g}{where}, and what was calibrated for it has its exact level in {enclosure}; "
            "release nothing with it, and calibrate for a smaller epsilon."
        )


def certify_delta(guarantee: Renyi, epsilon: float, delta: float) -> None:
    """The same for (ε, δ), at the order that promises it or by KL."""
    nearest = 1.0 + LEAST_EXCESS
    by_kl = _enclosed(guarantee, nearest)
    if by_kl is None or by_kl.upper <= level_by_kl(delta):
        return
    order = best_order(guarantee, delta).order
    level = _enclosed(guarantee, order)
    if level is not None:
        ends = (epsilon_at_order(end, order, delta) for end in (level.lower, level.upper))
        certify(Enclosure(*ends), epsilon, f" at delta {delta:g} by order {order:.6g}")


def _enclosed(guarantee: Renyi, order: float) -> Enclosure | None:
    return None if guarantee.enclosed is None else guarantee.enclosed(order)


def check_one_of(order: float | None, delta: float | None) -> None:
    """A Rényi order or a δ, not both."""
    if (order is None) == (delta is None):
        both = "both are" if order is not None else "neither is"
        raise InputError(
            f"order and delta: {both} given; give order for Rényi differential privacy at that order, or delta for "
            "(epsilon, delta)."
        )


def check_delta(delta: float | None) -> float:
    """0 < δ < 1."""
    if delta is None or not 0 < delta < 1:
        raise InputError(f"delta is {delta}; it must be above 0 and below 1, such as 1e-6.")
    return float(delta)


def largest_scale(divergence: Callable[[Array], Array], epsilons: ArrayLike) -> Array:
    """For each ε, the largest float s in (0, 1] with divergence(s) ≤ ε; `divergence` grows with s.

    The bracket is halved in the order of the floats themselves until its ends are neighbours, and its lower end,
    at which the inequality was seen to hold, is returned. (The thesis stops after 500 halvings.)
    """
    epsilons = check_epsilons(epsilons)
    ones = np.ones(epsilons.shape)
    # Positive floats are ordered like their bit patterns, so that halving integers visits every scale of magnitude.
    low = np.full(epsilons.shape, SMALLEST_SCALE).view(np.int64)
    high = ones.view(np.int64).copy()
    whole = divergence(ones) <= epsilons
    failing = ~(divergence(low.view(np.float64)) <= epsilons)
    if np.any(failing):
        raise InputError(f"epsilon is {epsilons[failing].flat[0]:g}; no positive scale is that private here; raise it.")
    while np.any(high - low > 1):
        middle = low + (high - low) // 2
        holds = divergence(middle.view(np.float64)) <= epsilons
        low, high = np.where(holds, middle, low), np.where(holds, high, middle)
    return np.where(whole, 1.0, low.view(np.float64))


def check_epsilons(epsilons: ArrayLike) -> Array:
    """0 < ε < ∞, as an array of one dimension or more."""
    array = np.atleast_1d(np.asarray(epsilons, dtype=float))
    good = (array > 0) & np.isfinite(array)
    if not np.all(good):
        raise InputError(f"epsilon is {array[~good].flat[0]:g}; it must be above 0 and finite.")
    return array


def check_order(order: float) -> float:
    """1 < λ < ∞."""
    if not 1 < order < math.inf:
        raise InputError(f"order is {order:g}; a mechanism is calibrated at a finite order above 1.")
    return float(order)
