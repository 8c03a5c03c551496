r"""Output and objective perturbation where d = 1 and R = 1, exactly: densities, intervals, worst pairs.

With r the rate of the noise and L = nΛ, the released w has

    output       ln p(w) = −r|w − w*| + ln(r/2)
    objective    ln p(w) = −r|b(w)| + ln(r/2) + ln(L + Σ ℓ″(z_i w) z_i²),    b(w) = −(L w + Σ ℓ′(z_i w) z_i)

and Pr(w < X < w′) is that of noise between two numbers, b(w′) and b(w) for the second, as b falls in w: a second route
to every ratio, which knows no Jacobian. Of the second kind, a record z replaced by z′ beside others changes ln p by

    r(|b′| − |b|) + ln(A + ℓ″(zw) z²) − ln(A + ℓ″(z′w) z′²),    A = L + Σ_others ℓ″ z_i² ≥ L.

`worst` maximises this over w, z, z′: alone (b and b′ are of these records only), or among any others, which may shift b
as far as they like at hardly any curvature, so that |b′| − |b| is |ℓ′(zw) z − ℓ′(z′w) z′|.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from dpsampling.learners.losses import HuberHinge, Loss
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.ties import first_of_largest

HALVINGS = 200  # of an interval, to the last place of floats
FAR = 60.0  # w beyond which no loss bends
ROUNDS, FINE = 14, 7  # of a search: rounds, and points a side in each
AS_LARGE = 1e-12  # what the places of a search may be apart in ε, of which then the first is taken


@dataclass(frozen=True, eq=False)
class PerturbedOutput:
    """w* and Laplace noise."""

    centre: float
    rate: float

    def log_density(self, w: Array) -> Array:
        """ln p."""
        return np.asarray(-self.rate * np.abs(w - self.centre) + math.log(0.5 * self.rate))

    def log_probability(self, low: float, high: float) -> float:
        """ln Pr(low < X < high)."""
        return log_between(low - self.centre, high - self.centre, self.rate)


@dataclass(frozen=True, eq=False)
class PerturbedObjective:
    """The exact minimiser, of records z_i, each there once or as often as `copies` says."""

    signed: Array
    loss: Loss
    ridge: float  # L
    rate: float
    copies: Array | None = None
    _rows: Array = field(init=False, repr=False)
    _copies: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        rows = np.asarray(self.signed, dtype=float)
        object.__setattr__(self, "_rows", rows[:, None])
        object.__setattr__(self, "_copies", np.ones(rows.size) if self.copies is None else self.copies)

    def noise_at(self, w: Array) -> Array:
        """b(w)."""
        at = np.ravel(w)
        pulls = self._copies @ (self.loss.slope(self._rows * at) * self._rows)
        return np.reshape(-(self.ridge * at + pulls), np.shape(w))

    def log_density(self, w: Array) -> Array:
        """ln p."""
        at = np.ravel(w)
        bends = self._copies @ (self.loss.bend(self._rows * at) * self._rows**2)
        return np.asarray(
            -self.rate * np.abs(self.noise_at(w))
            + math.log(0.5 * self.rate)
            + np.log(self.ridge + bends).reshape(np.shape(w))
        )

    def log_probability(self, low: float, high: float) -> float:
        """ln Pr(low < X < high)."""
        first, last = self.noise_at(np.array([high, low])).tolist()
        return log_between(first, last, self.rate)

    def minimisers(self, b: Array) -> Array:
        """w of each b: Lw is within Σ|z_i| of −b."""
        reach = (np.abs(b) + float(self._copies @ np.abs(self._rows[:, 0]))) / self.ridge
        low, high = -reach, reach
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            beyond = self.noise_at(middle) < b
            low, high = np.where(beyond, low, middle), np.where(beyond, middle, high)
            if np.all((middle == low) | (middle == high)) and np.array_equal(0.5 * (low + high), middle):
                break
        return np.asarray(0.5 * (low + high))


def log_between(low: float, high: float, rate: float) -> float:
    """ln Pr(low < B < high) of Laplace noise."""
    if low < 0.0 < high:
        return math.log(-0.5 * (math.expm1(rate * low) + math.expm1(-rate * high)))
    return math.log(0.5) - rate * min(abs(low), abs(high)) + math.log(-math.expm1(-rate * (high - low)))


class Worst(NamedTuple):
    """The largest ln p/p′ that was found, and where."""

    epsilon: float
    w: float
    z: float
    replaced: float  # z′


def worst(loss: Loss, ridge: float, rate: float, *, alone: bool) -> Worst:
    """Of objective perturbation: a grid of all there is, then ever finer ones about each w that is best nearby."""
    signs = np.linspace(-1.0, 1.0, 21)
    grid = np.stack(np.meshgrid(_weights(loss), signs, signs, indexing="ij"), axis=-1)
    values: Array = _ratios(loss, ridge, rate, alone, grid.reshape(-1, 3)).reshape(len(grid), -1)
    best = np.pad(values.max(axis=1), 1, constant_values=-np.inf)
    tops = np.flatnonzero((best[1:-1] > best[:-2]) & (best[1:-1] >= best[2:]))
    found = grid.reshape(len(grid), -1, 3)[tops, first_of_largest(values[tops], AS_LARGE)]
    width = np.array([0.5, 0.1, 0.1])
    steps = np.stack(np.meshgrid(*[np.linspace(-1.0, 1.0, FINE)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    for _ in range(ROUNDS):
        near = found[:, None, :] + width * steps
        near[..., 1:] = np.clip(near[..., 1:], -1.0, 1.0)
        values = _ratios(loss, ridge, rate, alone, near.reshape(-1, 3)).reshape(near.shape[:2])
        found = near[np.arange(len(near)), first_of_largest(values, AS_LARGE)]
        width *= 0.5
    top = int(first_of_largest(values.max(axis=1), AS_LARGE))
    return Worst(float(values[top].max()), *found[top].tolist())


def _weights(loss: Loss) -> Array:
    """w to begin with, also next to where a bend jumps; none below 0, as the signs of all three may be changed."""
    spread = np.sinh(np.linspace(0.0, math.asinh(FAR), 51))
    if not isinstance(loss, HuberHinge):
        return spread
    inside = np.array([1.0 - loss.width, 1.0 + loss.width]) + np.array([1e-9, -1e-9])
    return np.sort(np.concatenate([spread, inside]))


def _ratios(loss: Loss, ridge: float, rate: float, alone: bool, points: Array) -> Array:
    w, z, other = points.T
    pulls = [loss.slope(x * w) * x for x in (z, other)]
    bends = [loss.bend(x * w) * x * x for x in (z, other)]
    among_others = np.abs(pulls[1] - pulls[0])
    moved = np.abs(ridge * w + pulls[1]) - np.abs(ridge * w + pulls[0]) if alone else among_others
    return np.asarray(rate * moved + np.log(ridge + bends[0]) - np.log(ridge + bends[1]))
