r"""The posterior of a tempered Bayesian logistic regression (supplement A.7, eq. (64) and Algorithms 4 and 5).

    f(w) = κ‖w‖²/2 + ρ Σ ℓ(z_i·w),     ℓ(t) = ln(1 + e^{−t}),     density ∝ e^{−f(w)},  perhaps on ‖w‖ ≤ R alone

with z_i = (2y_i − 1) x_i, κ the prior's precision and ρ the likelihood's weight. f is smooth and strongly convex, so
Newton's method with backtracking finds its minimum from anywhere. A factor of the Hessian serves until the gradient
shrinks by less than `ENOUGH` a step: a product with the rows costs n·d, a Hessian n·d².
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit
from scipy.stats import chi2

from dpsampling.errors import InputError
from dpsampling.learners.logistic.records import Records
from dpsampling.numerics.arrays import Array

SLACK = 2.0**-20  # η: the share of κ that pays for a centre that is not the minimum
REMAINDER = 1e-3  # what ‖∇f‖²/(2κη) may be there
ENOUGH = 0.2
STEPS = 500
HOPELESS = 1e-4


@dataclass(frozen=True, eq=False)
class Target:
    """The law of w; with a `radius` it is conditional on the ball ‖w‖ ≤ `radius`."""

    records: Records
    precision: float
    weight: float = 1.0
    radius: float | None = None

    def __post_init__(self) -> None:
        for name in ("precision", "weight"):
            value = float(getattr(self, name))
            if not 0 < value < math.inf:
                raise InputError(f"{name} is {value:g}; it must be a finite number above 0.")
            object.__setattr__(self, name, value)
        if self.radius is not None:
            object.__setattr__(self, "radius", float(self.radius))
            check_radius(self.radius, self.precision, self.records.d)

    def value(self, w: ArrayLike) -> float:
        """f(w)."""
        point = np.asarray(w, dtype=float)
        return 0.5 * self.precision * float(point @ point) + self.weight * total_loss(self.records.signed @ point)

    def gradient(self, w: ArrayLike) -> Array:
        """∇f(w) = κw − ρ Σ σ(−z_i·w) z_i."""
        point, rows = np.asarray(w, dtype=float), self.records.signed
        return self.precision * point - self.weight * (expit(-(rows @ point)) @ rows)

    def curvature(self, w: ArrayLike) -> Array:
        """ρ Σ ℓ″(z_i·w) z_i z_iᵀ, the Hessian without κI."""
        rows = self.records.signed
        scaled = rows * np.sqrt(self.weight * bend(rows @ np.asarray(w, dtype=float)))[:, None]
        return scaled.T @ scaled

    def hessian(self, w: ArrayLike) -> Array:
        """∇²f(w)."""
        return self.curvature(w) + self.precision * np.eye(self.records.d)

    def mode(self, start: ArrayLike | None = None) -> Array:
        """Where f is least (ball or no ball), as near as floats and `REMAINDER` ask; `start` may be that of another."""
        w = np.zeros(self.records.d) if start is None else np.array(start, dtype=float)
        if w.shape != (self.records.d,) or not np.isfinite(w).all():
            raise InputError(f"start must be {self.records.d} finite numbers, one for each feature.")
        gradient, factor = self.gradient(w), None
        for _ in range(STEPS):
            norm = float(np.linalg.norm(gradient))
            if remainder(self, norm) <= REMAINDER:
                break
            fresh = factor is None
            factor = factor or cho_factor(self.hessian(w), overwrite_a=True, check_finite=False)
            moved = self._moved(w, gradient, cho_solve(factor, -gradient, check_finite=False))
            if moved is None and fresh:
                break  # f is flat to a float's last place
            w, gradient = moved or (w, gradient)
            if moved is None or float(np.linalg.norm(gradient)) > ENOUGH * norm:
                factor = None
        return w

    def _moved(self, w: Array, gradient: Array, step: Array) -> tuple[Array, Array] | None:
        """A better point on the way along `step` and its gradient; none if rounding hides whether any is better.

        Near the minimum a gradient shows it where f, a large sum, does not.
        """
        there = w + step
        after = self.gradient(there)
        if np.linalg.norm(after) <= ENOUGH * np.linalg.norm(gradient):
            return there, after
        point = self._descend(w, gradient, step)
        return None if point is None else (point, self.gradient(point))

    def _descend(self, w: Array, gradient: Array, step: Array) -> Array | None:
        """w + t·step for t = 1, ½, ¼ …, the first of which f falls enough at; none if rounding hides all of it."""
        rows, size = self.records.signed @ np.stack([w, step], axis=1), 1.0
        slope, squares = float(gradient @ step), (float(w @ step), float(step @ step))
        before = total_loss(rows[:, 0])
        while size > 1e-10:
            rise = self.precision * size * (squares[0] + 0.5 * size * squares[1])
            rise += self.weight * (total_loss(rows[:, 0] + size * rows[:, 1]) - before)
            if rise <= 1e-4 * size * slope:
                return w + size * step
            size *= 0.5
        return None


def remainder(target: Target, norm: float) -> float:
    """‖g‖²/(2κη), what a centre whose gradient has this norm takes off the logarithm of the acceptance rate."""
    return norm**2 / (2.0 * target.precision * SLACK)


def check_radius(radius: float, precision: float, d: int) -> None:
    """Draws outside the ball are thrown away, so the prior itself must lie in it now and then."""
    if not 0 < radius < math.inf:
        raise InputError(f"radius is {radius:g}; it must be a finite number above 0, or none.")
    inside = prior_inside(d, precision, radius)
    if inside < HOPELESS:
        raise InputError(
            f"radius is {radius:g}; with precision {precision:g} in {d} dimensions the prior lies within it with "
            f"probability {inside:.1g} only, so rejection would not end; widen the radius or raise the precision."
        )


def prior_inside(d: int, precision: float, radius: float) -> float:
    """The prior's probability of the ball."""
    return float(chi2.cdf(precision * radius**2, d))


def loss(t: Array) -> Array:
    """ℓ(t) = ln(1 + e^{−t})."""
    values = np.abs(np.asarray(t, dtype=float))
    np.negative(values, out=values)
    np.exp(values, out=values)
    np.log1p(values, out=values)
    values -= np.minimum(t, 0.0)
    return values


def total_loss(t: Array) -> float:
    """Σ ℓ(t_i)."""
    return float(loss(t).sum())


def bend(t: Array) -> Array:
    """ℓ″(t) = σ(t) σ(−t)."""
    return expit(t) * expit(-t)
