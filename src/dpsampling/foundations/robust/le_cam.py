r"""Le Cam's two-point method with posteriors in place of sampling laws (Robust 2014 Lemma 8).

    ρ(S₁, S₂) ≥ 2δ            sup_x E[ρ(ψ(θ), x) | x] ≥ δ sup ‖ξ₁ ∧ ξ₂‖,        ‖ξ₁ ∧ ξ₂‖ = ∫ min(ξ₁, ξ₂) = 1 − TV,

the right one over mixtures ξ_i of posteriors of data sets in S_i. Proof: a supremum is at least a mean, so for mixtures
with weights on S₁ and S₂ the left side is at least ½ (E_{ξ₁} ρ(ψ, S₁) + E_{ξ₂} ρ(ψ, S₂)), and ρ(ψ, S₁) + ρ(ψ, S₂) ≥ 2δ
at every θ; what two functions f₁ + f₂ ≥ 2δ have at the least is 2δ ∫ min(ξ₁, ξ₂). Where two data sets are 2δ apart and
a symmetry exchanges their posteriors, the likelihood test errs in both with ½ ‖ξ₁ ∧ ξ₂‖: δ is the best constant.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linprog

from dpsampling.numerics.arrays import Array


def overlap(p: ArrayLike, q: ArrayLike) -> Array:
    """‖P ∧ Q‖, over the last axis."""
    return np.asarray(np.sum(np.minimum(p, q), axis=-1))


def two_point_error(p: ArrayLike, q: ArrayLike) -> float:
    """min over randomized tests of the larger of both error probabilities (Neyman and Pearson).

    With outputs in the order of q/p, the tests that say Q on the first of them have errors on a chain of segments from
    (0, 1) to (1, 0): the least larger one is where both are equal.
    """
    p, q = np.asarray(p, dtype=float), np.asarray(q, dtype=float)
    order = np.argsort(-q / np.where(p > 0, p, 1e-300), kind="stable")
    first = np.concatenate([[0.0], np.cumsum(p[order])])
    second = 1.0 - np.concatenate([[0.0], np.cumsum(q[order])])
    i = int(np.argmax(first >= second))
    if i == 0:
        return float(first[0])
    rise, fall = first[i] - first[i - 1], second[i - 1] - second[i]
    return float(first[i - 1] + rise * (second[i - 1] - first[i - 1]) / (rise + fall))


def minimax_error(posteriors: Array, metric: Array) -> float:
    """min over randomized estimators of max_x E[ρ(ψ(θ), x) | x]: a linear program in Pr(ψ = s | θ) and the bound."""
    data, outputs = posteriors.shape
    risk = np.einsum("xt,sx->xts", posteriors, metric).reshape(data, outputs * data)
    found = linprog(
        np.append(np.zeros(outputs * data), 1.0),
        A_ub=np.hstack([risk, -np.ones((data, 1))]),
        b_ub=np.zeros(data),
        A_eq=np.hstack([np.kron(np.eye(outputs), np.ones(data)), np.zeros((outputs, 1))]),
        b_eq=np.ones(outputs),
        bounds=(0.0, None),
    )
    return _solved(found)


def largest_overlap(first: Array, second: Array) -> float:
    """sup ‖ξ₁ ∧ ξ₂‖ over mixtures of the rows of either, a linear program."""
    a, b, outputs = len(first), len(second), first.shape[1]
    below = np.vstack(
        [
            np.hstack([-first.T, np.zeros((outputs, b)), np.eye(outputs)]),
            np.hstack([np.zeros((outputs, a)), -second.T, np.eye(outputs)]),
        ]
    )
    weights = np.zeros((2, a + b + outputs))
    weights[0, :a] = weights[1, a : a + b] = 1.0
    cost = np.concatenate([np.zeros(a + b), -np.ones(outputs)])
    found = linprog(cost, A_ub=below, b_ub=np.zeros(2 * outputs), A_eq=weights, b_eq=np.ones(2), bounds=(0.0, None))
    return -_solved(found)


def _solved(found: Any) -> float:
    assert found.success, found.message  # both programs have solutions, whatever the laws
    return float(found.fun)
