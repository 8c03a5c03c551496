r"""The minimiser w* of a regularised mean loss, as near as a certified gradient says.

    J(w) = (1/n) Σ ℓ(z_i·w) + Λ‖w‖²/2 + β·w,    ‖z_i‖ ≤ R

is Λ-strongly convex, so that ‖w − w*‖ ≤ ‖∇J(w)‖/Λ at any w. Newton's method stops where `certified` says that ‖∇J(w)‖
is at most a public target: it is the computed norm and an upper bound of all that rounding may have done to it,

    R (c γ_d R‖w‖ + e + γ_m) + γ₄ (Λ‖w‖ + R + ‖β‖) + the error of β

with e that of a computed slope, γ_k = (k + 8)·2⁻⁵² (Higham, Accuracy and Stability, §3) and m a block's rows and the
number of blocks. A factor of the Hessian serves until the gradient shrinks by less than `ENOUGH` a step; it is that of
some of the rows, evenly taken, as long as that does. Where a new one of all rows does not shrink it either, the step is
halved until J falls along all of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from dpsampling.errors import InputError
from dpsampling.learners.losses import Loss
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.exact.data_dependent import data_dependent

UNIT = 2.0**-52  # twice the rounding unit
GROW = 1.0 + 2.0**-20
BLOCK = 1024  # rows that are looked at together
ENOUGH = 0.2
STEPS, HALVINGS = 300, 60
SAMPLED = 40  # rows for each feature that a Hessian of some rows has


@dataclass(frozen=True, eq=False)
class Objective:
    """J, of rows z_i that are no longer than `bound` = R."""

    signed: Array
    loss: Loss
    bound: float
    ridge: float  # Λ
    linear: Array  # β
    linear_error: float = 0.0

    def gradient(self, w: Array) -> Array:
        """∇J(w), as floats have it."""
        parts = [self.loss.slope(rows @ w) @ rows for rows in self._blocks()]
        return np.asarray(np.sum(parts, axis=0) / len(self.signed) + self.ridge * w + self.linear)

    def hessian(self, w: Array, stride: int = 1) -> Array:
        """∇²J(w), of every `stride`-th row."""
        rows = self.signed[::stride]
        bend = self.loss.bend(rows @ w)
        bent = bend > 0.0
        scaled = rows[bent] * np.sqrt(bend[bent] / len(rows))[:, None]
        return np.asarray(self.ridge * np.eye(w.size) + scaled.T @ scaled)

    def certified(self, w: Array, gradient: Array) -> float:
        """No less than the exact ‖∇J(w)‖."""
        rounding = self.rounding(_norm(w), _norm(self.linear)) + self.linear_error
        return GROW * (_norm(gradient) + rounding)

    def rounding(self, weights: float, linear: float) -> float:
        """Return what rounding may do to a gradient where ‖w‖ and ‖β‖ are these."""
        n, d = self.signed.shape
        return GROW * rounding(self.loss, n, d, self.bound, self.ridge, weights, linear)

    def shrink(self, w: Array, step: Array) -> float:
        """The first of 1, ½, ¼ … at which J has fallen all along the step."""
        along, moved = self.signed @ w, self.signed @ step
        squares, tilt = (float(w @ step), float(step @ step)), float(self.linear @ step)
        size = 1.0
        for _ in range(HALVINGS):
            losses = float(self.loss.slope(along + size * moved) @ moved) / len(self.signed)
            if losses + self.ridge * (squares[0] + size * squares[1]) + tilt <= 0.0:
                break
            size *= 0.5
        return size

    def _blocks(self) -> list[Array]:
        return [self.signed[start : start + BLOCK] for start in range(0, len(self.signed), BLOCK)]


def rounding(loss: Loss, n: int, d: int, bound: float, ridge: float, weights: float, linear: float) -> float:
    """The bound above, of public numbers."""
    margin = float(loss.curvature) * _gamma(d) * bound * weights
    sums = _gamma(BLOCK + math.ceil(n / BLOCK))
    return bound * (margin + loss.slope_error + sums) + _gamma(4) * (ridge * weights + bound + linear)


def least_ridge(loss: Loss, n: int, d: int, bound: float) -> float:
    """Λ that exceeds all roundings in a Hessian and its factor (Higham, §10.1): below it some rows have no factor."""
    return 2.0 * (_gamma(n) + d * _gamma(d)) * float(loss.curvature) * bound**2


@data_dependent("how many steps lead to the minimum depends on the rows; the time it takes does too")
def minimise(objective: Objective, target: float, start: Array | None = None) -> Array:
    """A point where the exact gradient is no longer than `target`; where Newton starts matters to speed alone."""
    w = np.zeros(objective.signed.shape[1]) if start is None else np.array(start, dtype=np.float64)
    gradient, factor = objective.gradient(w), None
    stride = max(1, len(objective.signed) // (SAMPLED * w.size))
    for _ in range(STEPS):
        if objective.certified(w, gradient) <= target:
            return w
        fresh = factor is None
        factor = factor or cho_factor(objective.hessian(w, stride), overwrite_a=True, check_finite=False)
        step = cho_solve(factor, -gradient, check_finite=False)
        after = objective.gradient(w + step)
        if _norm(after) > ENOUGH * _norm(gradient):
            factor = None
            if not fresh or stride > 1:
                stride = 1 if fresh else stride
                continue
            step = objective.shrink(w, step) * step
            after = objective.gradient(w + step)
        w, gradient = w + step, after
    raise InputError(f"no point was found whose gradient is within {target:.3g}; raise the regularisation.")


def _gamma(terms: int) -> float:
    return (terms + 8) * UNIT


def _norm(x: Array) -> float:
    return float(np.linalg.norm(x))
