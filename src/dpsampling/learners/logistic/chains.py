r"""Slice sampling of a logistic posterior: the Markov chain that the exact draws are compared with.

Along a direction p the density is e^{−f(w + tp)}. A level f(w) + E, E ~ Exponential, is drawn, an interval around t = 0
is stepped out until both ends lie above it, and t is drawn from the interval, which shrinks to each t that lies too
high (Neal 2003, "Slice sampling"). Each sweep goes through all directions: the coordinates, as in the paper's
experiments, or any others, by which correlated coordinates mix faster. z_i·(w + tp) is kept and moved by t z_i·p, so a
step costs n. The law is reached in the limit alone, so nothing private rests on it; `numerics.diagnostics` has what
tells how far it is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpsampling.errors import InputError
from dpsampling.learners.logistic.target import Target, total_loss
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.diagnostics import effective_size, split_r_hat


@dataclass(frozen=True, eq=False)
class Chains:
    """`points` (chains × sweeps × d) that the chains went through."""

    points: Array

    def r_hat(self, direction: Array) -> float:
        """Split R̂ of w·direction."""
        return split_r_hat(self.points @ direction)

    def effective(self, direction: Array) -> float:
        """The effective sample size of w·direction."""
        return effective_size(self.points @ direction)


def run(
    target: Target,
    rng: np.random.Generator,
    starts: Array,
    sweeps: int,
    *,
    burn_in: int = 0,
    directions: Array | None = None,
) -> Chains:
    """A chain from each row of `starts`, after `burn_in` sweeps; the columns of `directions` are stepped along.

    An interval begins 2/√(κ‖p‖² + ρ Σ (z_i·p)²/4) wide: some two of the least deviations that w can have along p.
    """
    d = target.records.d
    along = np.eye(d) if directions is None else directions
    slopes = np.ascontiguousarray((target.records.signed @ along).T)
    norms = np.linalg.norm(along, axis=0)
    steepness = 0.25 * target.weight * np.einsum("ij,ij->i", slopes, slopes)
    widths = 2.0 / np.sqrt(target.precision * norms**2 + steepness)
    points = np.empty((len(starts), sweeps, d))
    for chain, start in enumerate(starts):
        w = np.array(start, dtype=float)
        if target.radius is not None and float(np.linalg.norm(w)) > target.radius:
            raise InputError(f"a chain starts outside the ball of radius {target.radius:g}; start it inside.")
        for sweep in range(burn_in + sweeps):
            shifts = target.records.signed @ w  # anew, so that no rounding adds up
            for p, slope, width in zip(along.T, slopes, widths, strict=True):
                t = _step(target, rng, w, p, shifts, slope, float(width))
                w += t * p
                shifts += t * slope
            if sweep >= burn_in:
                points[chain, sweep - burn_in] = w
    return Chains(points)


def _step(
    target: Target, rng: np.random.Generator, w: Array, p: Array, shifts: Array, slope: Array, width: float
) -> float:
    """How far to go along p."""
    squares = float(w @ w), float(w @ p), float(p @ p)

    def height(t: float) -> float:
        square = squares[0] + 2.0 * t * squares[1] + t * t * squares[2]
        if target.radius is not None and square > target.radius**2:
            return math.inf
        return 0.5 * target.precision * square + target.weight * total_loss(shifts + t * slope)

    level = height(0.0) + float(rng.standard_exponential())
    low = -width * float(rng.random())
    high = low + width
    while height(low) < level:
        low -= width
    while height(high) < level:
        high += width
    while True:
        t = low + (high - low) * float(rng.random())
        if height(t) < level or low == high:
            return t
        low, high = (t, high) if t < 0 else (low, t)
