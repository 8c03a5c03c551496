r"""Report-noisy-max: which of k noisy values is largest, or, broken, how large it is.

Noise has scale s, and every value may move by 1. The index of the largest, with Laplace or exponential noise, costs
2/s exactly: moving the winner's noise by 2 keeps it the winner whatever the neighbour does, and costs at most 2/s. For
exponential noise and q_i at or below the largest of the others the winner's density moves by exactly that; for Laplace
noise it does so in the limit of q_i far below the others, where

    Pr(i) = ∫ g((x − q_i)/s) Π_{j≠i} F((x − q_j)/s) dx/s  ~  e^{q_i/s} × (what moves with the others).

The value itself has density d/dy Π F((y − q_j)/s). With Laplace noise it is proportional to e^{Σ_j (y − q_j)/s} below
all q_j, so that the price is k/s: no more, for it is a function of k values that cost 1/s each. Exponential noise is
never negative: values between max q and max q′ are possible for one input only. Gumbel noise gives the exponential
mechanism, Pr(i) ∝ e^{c_i/s}. Where one record adds 1 to one count c_j, the normaliser grows by a factor between 1 and
e^{1/s}, which it approaches as c_j outgrows the others, and the price is 1/s.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import log_softmax

from dpsampling.audit.known_mechanisms.inputs import ALL_DIFFER, published_pairs
from dpsampling.audit.known_mechanisms.price import Price
from dpsampling.audit.known_mechanisms.threshold_integrals import BELOW, NOT_ASKED, log_probabilities
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.panels import legendre
from dpsampling.numerics.ties import DIGITS


def laplace_index(candidates: int, scale: float) -> Price:
    """The index of the largest value with Laplace noise."""
    reached = [_largest(laplace_winner(x, scale) - laplace_winner(y, scale)) for x, y in _pairs(candidates)]
    return Price(2.0 / scale, 2.0 / scale, "the winner's value far below the others", max(reached))


def exponential_index(candidates: int, scale: float) -> Price:
    """The index of the largest value with exponential noise."""
    reached = [_largest(exponential_winner(x, scale) - exponential_winner(y, scale)) for x, y in _pairs(candidates)]
    return Price(2.0 / scale, 2.0 / scale, "the winner falls by 1 and the others rise by 1", max(reached))


def laplace_value(candidates: int, scale: float) -> Price:
    """The largest value itself with Laplace noise."""
    reached = max(abs(float(np.sum(x - y))) for x, y in _pairs(candidates)) / scale
    return Price(candidates / scale, candidates / scale, "a maximum below every query, all of which move", reached)


def exponential_value(candidates: int, scale: float) -> Price:
    """The largest value itself with exponential noise: its least possible value is the largest query."""
    chances = {}
    for x, y in _pairs(candidates):
        least, other = sorted((x, y), key=np.max)
        if np.max(least) < np.max(other):
            event = f"a maximum in [{np.max(least):g}, {np.max(other):g})"
            chances[event] = float(np.prod(-np.expm1(-(np.max(other) - least) / scale)))
    event = max(chances, key=lambda name: round(chances[name], DIGITS))
    witness = f"{event}: probability {chances[event]:.3g} and 0"
    return Price(math.inf, math.inf, witness, math.inf)


def gumbel_index(candidates: int, scale: float) -> Price:
    """The index of the largest count with Gumbel noise, where one record is added or removed."""
    # Far enough for e^{−c/s} to vanish beside 1 in the last bit.
    far = 40.0 * scale
    before = log_softmax(np.append(np.zeros(candidates - 1), far) / scale)
    after = log_softmax(np.append(np.zeros(candidates - 1), far + 1.0) / scale)
    return Price(_largest(before - after), 1.0 / scale, "one count far above the others, increased by 1")


def laplace_winner(queries: Array, scale: float) -> Array:
    """Ln Pr(i is the largest): the winner's noisy value is a threshold that all others are below."""
    size = len(queries)
    answers = np.full((size, size), BELOW)
    np.fill_diagonal(answers, NOT_ASKED)
    return np.array(
        [log_probabilities(queries, answers[i : i + 1], float(queries[i]), scale, scale)[0] for i in range(size)]
    )


def exponential_winner(queries: Array, scale: float) -> Array:
    """The same with exponential noise: a polynomial in e^{−(x−max q)/s}, which Gauss-Legendre integrates exactly."""
    v, weights = legendre(len(queries) // 2 + 1)
    v, weights = (1.0 + v) / 2.0, weights / 2.0
    behind = np.exp(-(np.max(queries) - queries) / scale)
    others = np.array([np.prod(1.0 - np.outer(np.delete(behind, i), v), axis=0) for i in range(len(queries))])
    return np.log(behind) + np.log(others @ weights)


def _pairs(candidates: int) -> list[tuple[Array, Array]]:
    return published_pairs(candidates, ALL_DIFFER)


def _largest(losses: Array) -> float:
    return float(np.max(np.abs(losses)))
