r"""Probabilities of answers that share one noisy threshold, by quadrature with a bound on its error.

With a threshold Z of density f(z) = e^{−|z−T|/s₁}/(2s₁), and queries q_i whose Laplace noise has scale s₂ and
distribution function F(t), answers below (⊥) and above (⊤) the threshold have

    Pr(y) = ∫ f(z) Π_{y_i = ⊥} F((z − q_i)/s₂) Π_{y_i = ⊤} F((q_i − z)/s₂) dz.

Between neighbouring points of {T, q_1, …, q_n} every factor is analytic. Right of all of them v = e^{−(z−b)/s₂} turns
the integral into that of v^{s₂/s₁ − 1} times a polynomial of degree n at most on [0, 1], left of them likewise, and
Gauss-Jacobi quadrature of that weight is exact. In between pieces are no longer than the smaller scale, and
Gauss-Legendre with `NODES` nodes is used on each. On the Bernstein ellipse of parameter 8 around such a piece a factor
is at most 7 times its least value on the piece, so that the relative error is at most

    (64/15) 7^{n+1} 8^{−2·NODES}/(1 − 8^{−2})  <  1e-30        for n ≤ 12

(Trefethen 2019, Theorem 19.3). What is left is rounding, about 1e-14.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp, roots_jacobi

from dpsampling.numerics.arrays import Array
from dpsampling.numerics.panels import legendre

NODES = 24
ABOVE, BELOW, NOT_ASKED = 1, 0, -1


def log_probabilities(
    queries: ArrayLike, answers: NDArray[np.int_], threshold: float, threshold_scale: float, query_scale: float
) -> Array:
    """ln Pr of each row of answers, with entries `ABOVE`, `BELOW` or `NOT_ASKED`."""
    q = np.asarray(queries, dtype=float)
    z, log_weights = _rule(q, threshold, threshold_scale, query_scale)
    distance = (z - q[:, np.newaxis]) / query_scale
    logs = (answers == BELOW) @ log_cdf(distance) + (answers == ABOVE) @ log_cdf(-distance)
    return np.asarray(logsumexp(logs + log_weights, axis=1))


def log_cdf(t: Array) -> Array:
    """Ln of the standard Laplace distribution function."""
    half = 0.5 * np.exp(-np.abs(t))
    return np.where(t < 0, t - math.log(2.0), np.log1p(-half))


def answers(queries: int, cutoff: int) -> NDArray[np.int_]:
    """All rows of answers that end with the `cutoff`-th ⊤ or with the last query."""
    rows = list(_answers(queries, cutoff))
    return np.array(rows, dtype=int)


def _answers(queries: int, cutoff: int) -> Iterator[tuple[int, ...]]:
    if queries == 0 or cutoff == 0:
        yield (NOT_ASKED,) * queries
        return
    for answer in (BELOW, ABOVE):
        for rest in _answers(queries - 1, cutoff - answer):
            yield (answer, *rest)


def _rule(q: Array, threshold: float, s1: float, s2: float) -> tuple[Array, Array]:
    """Nodes z and ln of their weights times f(z)."""
    edges = np.unique(np.append(q, threshold))
    v, jacobi = roots_jacobi(len(q) // 2 + 2, 0.0, s2 / s1 - 1.0)
    v, tail = (1.0 + v) / 2.0, np.log(jacobi) - s2 / s1 * math.log(2.0) + math.log(s2)
    # f(z) dz has e^{−|z−b|/s₁} = v^{s₂/s₁} and |dz| = s₂ dv/v beyond an outermost edge b.
    nodes = [edges[0] + s2 * np.log(v), edges[-1] - s2 * np.log(v)]
    weights = [tail - abs(edges[0] - threshold) / s1, tail - abs(edges[-1] - threshold) / s1]
    x, rule = legendre(NODES)
    for low, high in pairwise(edges):
        cuts = np.linspace(low, high, 1 + math.ceil((high - low) / min(s1, s2)))
        middles, halves = (cuts[1:] + cuts[:-1])[:, np.newaxis] / 2.0, np.diff(cuts)[:, np.newaxis] / 2.0
        z = (middles + halves * x).ravel()
        nodes.append(z)
        weights.append(np.log(halves * rule).ravel() - np.abs(z - threshold) / s1)
    return np.concatenate(nodes), np.concatenate(weights) - math.log(2.0 * s1)
