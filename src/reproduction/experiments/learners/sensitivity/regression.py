r"""Pairs of records of a regression: what they move of coefficients, moments and minimisers.

**Functional mechanism.** The coefficients of the records that neighbours share cancel. For u = 2y (linear), ½ − y
(logistic) and β = 1, ⅛ the distance is ‖ux − u′x′‖₁ + β‖xxᵀ − x′x′ᵀ‖₁, all entries of the matrix.

**AdaSSP.** Shared rows have some XᵀX, which λ_min depends on: any RRᵀ.

**Output.** w minimises Σ ℓ(z_i·w) + κ‖w‖²/2, z = yx, κ = nΛ. Sensitivities are told as κ‖w − w′‖, printed 2.
Hinge, one record: w = min{1/κ, 1/‖z‖²} z. Logistic in a plane: n − 1 shared records pull along e₁ with a total of G,
which may be all from 0 to (n − 1) max_{r ≤ 1} rσ(−rw₁), and do not curve e₂; the other record is z = (z₁, ±z₂), with

    κw₁ = G + z₁σ(−z·w),    κw₂ = z₂σ(−z·w),    so that w, w′ are mirrored and κ‖w − w′‖ = 2|z₂|σ(−z·w).

Given κ, z and w₁, w₂ is a root of a falling function; G follows, and the pair is one if G may be that.
Logistic on a line: shared records are alike, and both minimisers are found by bisection.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from reproduction.experiments.learners.sensitivity.search import in_ball, largest

Array = NDArray[np.float64]

HALVINGS = 52
STRONGEST = 1.2784645427610737  # b of the largest bσ(−b), which is b − 1, as 1 + e^b = be^b
ROOM = 20.0  # ln κ is looked at within ± of that


def functional(dimension: int, *, logistic: bool, replaced: bool, starts: int, rng: np.random.Generator) -> float:
    """L1 of all coefficients; one record more is a pair with x′ = 0."""
    d, curvature = dimension, 0.125 if logistic else 1.0

    def parts(points: Array) -> tuple[Array, Array, Array, Array]:
        return points[:, :d], points[:, d : 2 * d] * replaced, points[:, -2], points[:, -1]

    def value(points: Array) -> Array:
        x, other, u, of_other = parts(points)
        linear = np.abs(u[:, None] * x - of_other[:, None] * other).sum(axis=1)
        return np.asarray(linear + curvature * np.abs(_squares(x) - _squares(other)).sum(axis=(1, 2)))

    def allowed(points: Array) -> Array:
        x, other, u, of_other = parts(points)
        ends = np.sign([u, of_other]) * 0.5 if logistic else np.clip([u, of_other], -2.0, 2.0)
        return np.concatenate([in_ball(x), in_ball(other), ends.T], axis=1)

    return largest(value, allowed, 2 * d + 2, starts, rng)


def ada_ssp(dimension: int, *, replaced: bool, starts: int, rng: np.random.Generator) -> float:
    """L2 of λ_min, the upper triangle of XᵀX, and Xᵀy."""
    d = dimension
    upper = np.triu_indices(d)

    def parts(points: Array) -> tuple[Array, Array, Array, Array]:
        x, other = points[:, :d], points[:, d : 2 * d] * replaced
        return x, other, points[:, 2 * d : 2 * d + 2], points[:, 2 * d + 2 :].reshape(-1, d, d)

    def value(points: Array) -> Array:
        x, other, y, root = parts(points)
        shared = 9.0 * root @ root.transpose(0, 2, 1)
        one, two = _squares(x), _squares(other)
        least = np.linalg.eigvalsh(shared + one)[:, 0] - np.linalg.eigvalsh(shared + two)[:, 0]
        moved = (one - two)[:, upper[0], upper[1]]
        cross = y[:, :1] * x - y[:, 1:] * other
        return np.asarray(np.sqrt(least**2 + (moved**2).sum(axis=1) + (cross**2).sum(axis=1)))

    def allowed(points: Array) -> Array:
        x, other, y, root = parts(points)
        return np.concatenate([in_ball(x), in_ball(other), np.clip(y, -1.0, 1.0), root.reshape(-1, d * d)], axis=1)

    return largest(value, allowed, 2 * d + 2 + d * d, starts, rng)


def hinge_output(starts: int, rng: np.random.Generator) -> float:
    """κ‖w − w′‖ of one record in a plane, κ ≥ 1."""

    def minimiser(z: Array, kappa: Array) -> Array:
        square = np.maximum((z * z).sum(axis=1), 1e-300)
        return np.asarray(np.minimum(1.0 / kappa, 1.0 / square)[:, None] * z)

    def value(points: Array) -> Array:
        kappa = np.exp(points[:, 4])
        moved = minimiser(points[:, :2], kappa) - minimiser(points[:, 2:4], kappa)
        return np.asarray(kappa * np.linalg.norm(moved, axis=1))

    def allowed(points: Array) -> Array:
        kappa = np.clip(points[:, 4:], 0.0, ROOM)
        return np.concatenate([in_ball(points[:, :2]), in_ball(points[:, 2:4]), kappa], axis=1)

    return largest(value, allowed, 5, starts, rng)


def logistic_output_plane(n: int, starts: int, rng: np.random.Generator) -> float:
    """κ‖w − w′‖ of a record and its mirror image beside n − 1 others; points are z, ln κ and ln w₁."""

    def value(points: Array) -> Array:
        z, kappa, first = points[:, :2], np.exp(points[:, 2]), np.exp(points[:, 3]) * (n > 1)
        second = _root(lambda w: z[:, 1] * expit(-z[:, 0] * first - z[:, 1] * w) - kappa * w, 1.0 / kappa)
        pull = expit(-z[:, 0] * first - z[:, 1] * second)
        needed = kappa * first - z[:, 0] * pull
        strength = np.minimum(1.0, STRONGEST / np.maximum(first, 1.0))  # r of the shared records that pull most
        most = (n - 1) * strength * expit(-strength * first)
        return np.where((needed >= 0.0) & (needed <= most), 2.0 * np.abs(z[:, 1]) * pull, 0.0)

    def allowed(points: Array) -> Array:
        z = in_ball(points[:, :2]) * ([1.0, 1.0] if n > 1 else [0.0, 1.0])
        return np.concatenate([z, np.clip(points[:, 2:], -ROOM, ROOM)], axis=1)

    return largest(value, allowed, 4, starts, rng, spread=3.0)


def logistic_output_line(n: int, starts: int, rng: np.random.Generator) -> float:
    """κ|w − w′| of two records beside n − 1 others that are alike; points are z, z′, ln κ and the others' ln r."""

    def value(points: Array) -> Array:
        kappa, r = np.exp(points[:, 2]), np.exp(points[:, 3])

        def minimiser(z: Array) -> Array:
            reach = ((n - 1) * r + 1.0) / kappa
            return _root(lambda w: (n - 1) * r * expit(-r * w) + z * expit(-z * w) - kappa * w, reach)

        return np.asarray(kappa * np.abs(minimiser(points[:, 0]) - minimiser(points[:, 1])))

    def allowed(points: Array) -> Array:
        both = np.clip(points[:, :2], -1.0, 1.0)
        return np.concatenate([both, np.clip(points[:, 2:3], -5.0, 5.0), np.clip(points[:, 3:], -ROOM, 0.0)], axis=1)

    return largest(value, allowed, 4, starts, rng, spread=3.0)


def on_a_line_bound() -> float:
    r"""sup κ|w − w′| on a line: max_W σ(W) + max_{0 ≤ b ≤ 1} bσ(−bW), rounded up on a grid.

    The pull S of shared records and h_z(w) = zσ(−zw) fall in w. For w > w′, κ(w − w′) is
    S(w) − S(w′) + h_z(w) − h_z′(w′) ≤ h_z(w′) − h_z′(w′), and this is its maximum over z, z′ and w′ = −W. On the grid
    of W it is off by its second derivative, below 1, times the square of half a step; from W = 12 on it falls.
    """
    far = np.arange(0.0, 12.0, 1e-4)
    weak = np.where(far < STRONGEST, expit(-far), (STRONGEST - 1.0) / np.maximum(far, STRONGEST))
    return float(np.max(expit(far) + weak)) + 1e-8


def _squares(x: Array) -> Array:
    return np.asarray(x[:, :, None] * x[:, None, :])


def _root(falling: Callable[[Array], Array], reach: Array) -> Array:
    """Where functions that fall are 0, between ± reach."""
    low, high = -reach, reach.copy()
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        above = falling(middle) > 0.0
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return (low + high) / 2.0
