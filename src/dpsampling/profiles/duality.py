r"""How small the largest flip of a graph can be: a lower bound that anyone can check.

Weigh the constraints o_i(y) ≤ e^ε o_j(y) of thesis eq. (7.7) by any ν ≥ 0 and add them up. With

    w_i(y) = Σ_j (e^−ε ν_ij(y) − ν_ji(y)),        the sum says        Σ_i Σ_y w_i(y) o_i(y) ≤ 0,

and matrices with off-diagonal entries of at most t bring its left side down to Σ_i Σ_x P_i(x) (w_i(x) − t S_i(x)) at
best, where S_i(x) = Σ_y max{0, w_i(x) − w_i(y)}. So every private mechanism has

    t ≥ Σ_i Σ_x P_i(x) w_i(x) / Σ_i Σ_x P_i(x) S_i(x).

Some weights make it an equation: those of the dual linear program. The bound holds whatever weights a solver comes back
with, and rests on nothing that the mechanisms' own program is made of.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from dpsampling.numerics.arrays import Array
from dpsampling.profiles.graph import ProfileGraph


def least_largest_flip(graph: ProfileGraph, epsilon: float) -> float:
    """Every private mechanism has an off-diagonal entry this large; up to rounding, one has none larger."""
    return bound(graph, epsilon, weights(graph, epsilon))


def bound(graph: ProfileGraph, epsilon: float, nu: Array) -> float:
    """The right-hand side for weights (2·edges, d), in the order of `graph.directed`."""
    P = graph.normalised
    i, j = graph.directed.T
    w = np.zeros_like(P)
    np.add.at(w, i, math.exp(-epsilon) * nu)
    np.add.at(w, j, -nu)
    steps = np.maximum(0.0, w[:, :, np.newaxis] - w[:, np.newaxis, :]).sum(axis=2)
    reach = float((P * steps).sum())
    return max(0.0, float((P * w).sum()) / reach) if reach > 0.0 else 0.0


def weights(graph: ProfileGraph, epsilon: float) -> Array:
    """The best weights: most of Σ P_i(x) w_i(x), with Σ P_i(x) S_i(x) at most 1."""
    P = graph.normalised
    size, d = P.shape
    i, j = (np.repeat(end, d) for end in graph.directed.T)
    y = np.tile(np.arange(d), len(graph.directed))
    row = np.arange(len(y))
    values = np.concatenate([np.full(len(y), math.exp(-epsilon)), np.full(len(y), -1.0)])
    places = (np.concatenate([i * d + y, j * d + y]), np.tile(row, 2))
    w = sparse.coo_array((values, places), shape=(size * d, len(y))).tocsr()
    k, a, b = (index.ravel() for index in np.indices((size, d, d)))
    k, a, b = k[a != b], a[a != b], b[a != b]
    above = sparse.hstack([w[k * d + a] - w[k * d + b], -sparse.eye_array(len(k))])
    spent = sparse.csr_array(np.append(np.zeros(len(y)), P[k, a])[np.newaxis])
    found = linprog(
        np.append(-(w.T @ P.ravel()), np.zeros(len(k))),
        A_ub=sparse.vstack([above, spent]).tocsr(),
        b_ub=np.append(np.zeros(len(k)), 1.0),
        method="highs-ds",
    )
    if found.status != 0:
        raise ArithmeticError(f"the dual program was not solved: {found.message}")
    return np.maximum(np.asarray(found.x)[: len(y)], 0.0).reshape(-1, d)
