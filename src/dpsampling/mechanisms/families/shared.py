"""What the families share: their common parts, checks of arguments, and Gamma variables on the log scale."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.errors import InputError
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.convex_gap import log_gamma_gap

LARGEST_ORDER = 1e100  # from here on, a divergence is that of order ∞, which is no less


class FamilyBase(ABC):
    """What is the same in every family."""

    @abstractmethod
    def renyi_divergence(self, law_p: ArrayLike, law_q: ArrayLike, order: ArrayLike) -> Array:
        """R_λ(P‖Q), for λ ≥ 1."""

    def kl_divergence(self, law_p: ArrayLike, law_q: ArrayLike) -> Array:
        """KL(P‖Q), the Rényi divergence of order 1."""
        return self.renyi_divergence(law_p, law_q, 1.0)

    def check_records(self, n: float) -> float:
        """n ≥ 1: with no record there is no neighbour."""
        if not (math.isfinite(n) and n >= 1 and float(n).is_integer()):
            raise InputError(f"n is {n:g}; it must be a whole number of records, 1 or more.")
        return float(n)


def gaps_of_a_step(shape: Array, r: Array, beside: Array, n: float, k: Array, rounding: float) -> tuple[Array, Array]:
    """D[ln Γ] of one shape between neighbours, x and x + r: with P at the lower one, and with P at the upper one.

    x is the prior's `shape` with `beside` of the n records, r each. As floats the two may be further apart: `rounding`
    is for their sums, and twice as much, of what is added, for products and n − s. That is never more than 3rn, since
    the prior's shape is a float, and what is added to it is rounded by no more than itself. With x fixed, both gaps
    grow with the distance d: their derivatives are ψ(x + d) − ψ(x − kd) and λ/k · [ψ(x + λd) − ψ(x + d)].
    """
    low, added = shape + r * beside, r * (beside + 1.0)
    distance = r + np.minimum(rounding * (low + r + 2.0 * added), 3.0 * n * r)
    return log_gamma_gap(low, -distance, k), log_gamma_gap(low + distance, distance, k, behind=low)


def check_order(order: ArrayLike) -> Array:
    """λ ≥ 1, where 1 is the Kullback-Leibler divergence."""
    order = np.asarray(order, dtype=float)
    good = order >= 1.0
    if not np.all(good):
        raise InputError(f"order is {order[~good].flat[0]:g}; a Rényi order here is 1 or more.")
    return order


def log_gamma_draws(shape: Array, rng: np.random.Generator, size: int | tuple[int, ...]) -> Array:
    """ln G of Gamma variables: ln G_a is ln G_{a+1} + ln(U)/a, so that shapes near 0 do not underflow."""
    return np.log(rng.standard_gamma(shape + 1.0, size)) - rng.standard_exponential(size) / shape


def plain(value: object) -> str:
    """A value in an error message."""
    return str(value.tolist() if isinstance(value, np.ndarray) else value)
