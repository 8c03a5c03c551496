"""What the families share: their common parts, checks of arguments, and Gamma variables on the log scale."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpsampling.errors import InputError

Array = NDArray[np.float64]

LARGEST_ORDER = 1e100  # from here on, a divergence is that of order ∞, which is no less


class FamilyBase(ABC):
    """What is the same in every family."""

    @abstractmethod
    def renyi_divergence(self, eta_p: ArrayLike, eta_q: ArrayLike, order: ArrayLike) -> Array:
        """R_λ(P‖Q), for λ ≥ 1."""

    def kl_divergence(self, eta_p: ArrayLike, eta_q: ArrayLike) -> Array:
        """KL(P‖Q), the Rényi divergence of order 1."""
        return self.renyi_divergence(eta_p, eta_q, 1.0)

    def check_records(self, n: float) -> float:
        """n ≥ 1: with no record there is no neighbour."""
        if not (math.isfinite(n) and n >= 1 and float(n).is_integer()):
            raise InputError(f"n is {n:g}; it must be a whole number of records, 1 or more.")
        return float(n)


class ScalarStatistic(FamilyBase):
    """A family whose Σ S(x_i) is one number, so that η = (η¹, η²)."""

    def posterior(
        self,
        prior: ArrayLike,
        statistic: ArrayLike,
        n: float,
        *,
        data_weight: ArrayLike = 1.0,
        prior_weight: ArrayLike = 1.0,
    ) -> Array:
        """prior_weight·η₀ + data_weight·(Σ S(x_i), n), statistics and weights broadcast together."""
        prior, weight = np.asarray(prior, dtype=float), np.asarray(prior_weight, dtype=float)
        first = weight * prior[0] + np.asarray(data_weight) * np.asarray(statistic, dtype=float)
        last = weight * prior[1] + np.asarray(data_weight) * n
        return np.stack(np.broadcast_arrays(first, last), axis=-1)


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
