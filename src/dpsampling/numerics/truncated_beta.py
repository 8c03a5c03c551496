r"""Beta(a, b) restricted to a window, at any parameters and in any tail.

Everything happens on the logit scale θ = ln p/(1−p), where the density e^{g(θ)} is log-concave whenever a + b > 0:

    g(θ) = a ln p + b ln(1−p),      g′(θ) = a(1−p) − b p,      g″(θ) = −(a+b) p(1−p) < 0.

So a or b may also be ≤ 0 where the window keeps away from p = 0 or p = 1. With m the peak of g in the window, values
are taken from m, g(m+y) − g(m) = a y − (a+b) ln(1 + p_m (e^y − 1)), which keeps the digits of narrow windows.

Integrals are Gauss-Legendre on each side of the peak, on panels that halve towards it, as far as g falls by `DROP`.
The relative error is below 1e-11 for a, b from 1e-3 to 1e6 and below 1e-9 for p down to 1e-30 at their smallest.

Draws are exact, by rejection under tangents of g. Let g fall by d ≤ 1 at y (by 1, or less at the window's end). The
tangents at the peak and at y lie above the concave g wherever y is, so rounding in y costs speed and never the law.
With slope −s at y and z = y − d/s where the two meet, on that side

    envelope ≤ z + 1/s = y if d = 1,     density ≥ ∫₀^y e^{−u/y} du = (1 − 1/e) y,

so at least 63% of the proposals are accepted, for all parameters (less is under the tangent at a window's end).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, log_expit, logit

from dpsampling.errors import InputError
from dpsampling.numerics.arrays import Array, Indices
from dpsampling.numerics.panels import halving_to_start

Function = Callable[[Array], Array]
Size = int | tuple[int, ...] | None

DROP = 45.0  # e^-45 = 3e-20 of the peak: what is left out does not matter
NODES = 40


# -- on the probability's scale ----------------------------------------------------------------------------------------


def log_normalizer(a: ArrayLike, b: ArrayLike, low: ArrayLike, high: ArrayLike) -> Array:
    """ln ∫ p^{a−1} (1−p)^{b−1} dp over [low, high]."""
    return LogitBeta.between(a, b, low, high).log_normalizer


def log_density(p: ArrayLike, a: ArrayLike, b: ArrayLike, low: ArrayLike, high: ArrayLike) -> Array:
    """The log-density at p; −inf outside the window."""
    p, low, high = (np.asarray(value, dtype=float) for value in (p, low, high))
    law = LogitBeta.between(a, b, low, high)
    inside = (p >= low) & (p <= high) & (p > 0) & (p < 1)
    safe = np.where(inside, p, 0.5)
    value = law.log_density(law.shifted(logit(safe))) - np.log(safe) - np.log1p(-safe)
    return np.where(inside, value, -np.inf)


def cdf(p: ArrayLike, a: ArrayLike, b: ArrayLike, low: ArrayLike, high: ArrayLike) -> Array:
    """Pr(draw ≤ p)."""
    p, low, high = (np.asarray(value, dtype=float) for value in (p, low, high))
    law = LogitBeta.between(a, b, low, high)
    safe = np.clip(p, low, high)
    with np.errstate(divide="ignore", invalid="ignore"):
        offset = np.where(low > 0, law.left + logit_difference(low, safe), logit(safe) - law.peak)
    return np.exp(law.log_cdf_from_peak(offset))


def sample(
    a: ArrayLike, b: ArrayLike, low: ArrayLike, high: ArrayLike, rng: np.random.Generator, size: Size = None
) -> Array:
    """Exact draws of p."""
    return np.clip(expit(LogitBeta.between(a, b, low, high).sample(rng, size)), low, high)


# -- on the logit scale ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class LogitBeta:
    """The law of θ = ln p/(1−p), p ~ Beta(a, b), given low ≤ θ ≤ high; arrays are broadcast together.

    `width` is high − low where it is known to more digits than that difference has.
    """

    a: ArrayLike
    b: ArrayLike
    low: ArrayLike = -np.inf
    high: ArrayLike = np.inf
    width: ArrayLike | None = None
    # The peak θ_m, and the window's ends as seen from it.
    peak: Array = field(init=False)
    left: Array = field(init=False)
    right: Array = field(init=False)

    def __post_init__(self) -> None:
        width = np.subtract(self.high, self.low) if self.width is None else self.width
        a, b, low, high, width = np.broadcast_arrays(
            *(np.asarray(value, dtype=float) for value in (self.a, self.b, self.low, self.high, width))
        )
        _check(a, b, low, high, width)
        interior = (a > 0) & (b > 0)
        mode = np.log(np.where(interior, a, 1.0)) - np.log(np.where(interior, b, 1.0))
        mode = np.where(interior, mode, np.where(a > 0, np.inf, -np.inf))
        peak = np.clip(mode, low, high)
        with np.errstate(invalid="ignore"):
            left = np.where(peak == low, 0.0, np.where(peak == high, -width, low - peak))
            right = np.where(peak == high, 0.0, np.where(np.isinf(left), high - peak, left + width))
        names = ("a", "b", "low", "high", "width", "peak", "left", "right")
        for name, value in zip(names, (a, b, low, high, width, peak, left, right), strict=True):
            object.__setattr__(self, name, value)

    @classmethod
    def between(cls, a: ArrayLike, b: ArrayLike, low: ArrayLike, high: ArrayLike) -> LogitBeta:
        """The law given low ≤ p ≤ high."""
        low, high = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
        if not np.all((low >= 0) & (low < high) & (high <= 1)):
            raise InputError("a window of probabilities must have 0 ≤ low < high ≤ 1; give its ends in that order.")
        return cls(a, b, logit(low), logit(high), logit_difference(low, high))

    @property
    def log_normalizer(self) -> Array:
        """ln ∫ e^{g}."""
        top = _times(self.a, log_expit(self.peak)) + _times(self.b, log_expit(-self.peak))
        return top + self.log_area(self.left, self.right)

    def log_density(self, theta: ArrayLike) -> Array:
        """The log-density of θ; −inf outside the window."""
        theta = np.asarray(theta, dtype=float)
        inside = (theta >= self.low) & (theta <= self.high)
        rise = self.rise(np.where(inside, theta - self.peak, 0.0))
        return np.where(inside, rise - self.log_area(self.left, self.right), -np.inf)

    def cdf(self, theta: ArrayLike) -> Array:
        """Pr(draw ≤ θ)."""
        return np.exp(self.log_cdf_from_peak(np.asarray(theta, dtype=float) - self.peak))

    def log_cdf_from_peak(self, offset: Array) -> Array:
        """ln Pr(draw ≤ peak + offset), which keeps its digits in the lower tail."""
        some = offset > self.left
        end = np.where(some, np.minimum(offset, self.right), self.right)
        share = self.log_area(self.left, end) - self.log_area(self.left, self.right)
        return np.where(some, np.minimum(share, 0.0), -np.inf)

    def shifted(self, theta: Array) -> Array:
        """θ moved into the window if rounding has put it just outside."""
        return np.clip(theta, self.low, self.high)

    def sample(self, rng: np.random.Generator, size: Size = None) -> Array:
        """Exact draws of θ."""
        size = self.peak.shape if size is None else size
        starts = self._outermost(1.0)
        parts = [np.broadcast_to(part, size).ravel() for part in (self.a, self.b, self.peak)]
        envelope = Envelope.under_tangents(self.rise, self.slope, self.left, self.right, *starts)
        offset = envelope.draw(lambda y, i: _rise(y, *(part[i] for part in parts)), rng, size)
        return self.shifted(self.peak + offset)

    # -- g seen from its peak ------------------------------------------------------------------------------------

    def rise(self, offset: Array) -> Array:
        """g(peak + offset) − g(peak)."""
        return _rise(offset, self.a, self.b, self.peak)

    def slope(self, offset: Array) -> Array:
        """g′(peak + offset)."""
        theta = self.peak + offset
        return np.asarray(self.a) * expit(-theta) - np.asarray(self.b) * expit(theta)

    def log_area(self, start: Array, end: Array) -> Array:
        """ln ∫ e^{g(peak + y) − g(peak)} dy over start ≤ y ≤ end."""
        points, weights = self.nodes_and_weights(start, end)
        values = self.rise(points)
        top = np.max(values, axis=0)
        with np.errstate(divide="ignore"):
            return top + np.log(np.sum(weights * np.exp(values - top), axis=0))

    def nodes_and_weights(self, start: Array, end: Array) -> tuple[Array, Array]:
        """Nodes y and weights of that integral, along a new first axis."""
        start, end, *_ = np.broadcast_arrays(start, end, self.peak)
        at = np.clip(0.0, start, end)
        part = LogitBeta.__new__(LogitBeta)  # the same law seen from `at`, the peak between start and end
        seen = {"a": self.a, "b": self.b, "peak": self.peak + at, "left": start - at, "right": end - at}
        for name, value in seen.items():
            object.__setattr__(part, name, np.broadcast_to(value, at.shape))
        left, right = part._outermost(DROP)
        reach_right = newton_reach(part.rise, part.slope, right, DROP)
        reach_left = newton_reach(lambda y: part.rise(-y), lambda y: -part.slope(-y), -left, DROP)
        longest = float(np.max(np.maximum(reach_left, reach_right), initial=1.0))
        panels = 3 + int(np.ceil(np.log2(max(longest, 1.0))))
        x, w = (column.reshape(-1, *([1] * at.ndim)) for column in halving_to_start(panels, NODES))
        return (
            np.concatenate([at - reach_left * x, at + reach_right * x]),
            np.concatenate([reach_left * w, reach_right * w]),
        )

    def _outermost(self, drop: float) -> tuple[Array, Array]:
        """Finite offsets at or beyond which g has fallen by `drop`: the window's ends, or those of g's asymptotes."""
        a, b = np.asarray(self.a), np.asarray(self.b)
        total = a + b
        with np.errstate(divide="ignore"):
            left = np.where(a > 0, (drop - total * log_expit(-self.peak)) / np.where(a > 0, a, 1.0), np.inf)
            right = np.where(b > 0, (drop - total * log_expit(self.peak)) / np.where(b > 0, b, 1.0), np.inf)
        return -np.minimum(left, -self.left), np.minimum(right, self.right)


def logit_difference(low: ArrayLike, high: ArrayLike) -> Array:
    """logit(high) − logit(low), to full accuracy where they are close."""
    low, high = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = (high - low) / (low * (1.0 - high))
        return np.where(ratio < 1.0, np.log1p(ratio), logit(high) - logit(low))


def _rise(y: Array, a: ArrayLike, b: ArrayLike, peak: ArrayLike) -> Array:
    a, b = np.asarray(a), np.asarray(b)
    peak = np.asarray(peak)
    p, q = expit(peak), expit(-peak)
    # Mirrored where θ > 0: a small parameter must not be the difference of two large numbers.
    ahead = peak + y > 0
    first, second = np.where(ahead, b, a), np.where(ahead, q, p)
    distance = np.where(ahead, -y, y)
    shift = second * np.expm1(np.minimum(distance, 700.0))
    small = shift > -0.5
    log_mass = np.where(
        small,
        np.log1p(np.where(small, shift, 0.0)),
        np.log(np.where(small, 1.0, np.where(ahead, p, q) + second * np.exp(np.minimum(distance, 0.0)))),
    )
    return first * distance - (a + b) * log_mass


def _times(factor: ArrayLike, value: Array) -> Array:
    return np.where(np.isinf(value), 0.0, np.asarray(factor) * np.where(np.isinf(value), 0.0, value))


def _check(a: Array, b: Array, low: Array, high: Array, width: Array) -> None:
    if not np.all(np.isfinite(a) & np.isfinite(b) & (a + b > 0)):
        raise InputError("the parameters of a Beta distribution must be finite, with a sum above 0.")
    if not np.all((low < high) & (width > 0)):
        raise InputError("a window must have low < high; give its ends in that order.")
    if not np.all(((a > 0) | (low > -np.inf)) & ((b > 0) | (high < np.inf))):
        raise InputError("a parameter of a Beta distribution is 0 or less; its window must keep away from that end.")


# -- rejection under tangents, for any log-concave density -------------------------------------------------------------


class Envelope(NamedTuple):
    """Pieces e^{height + slope·u}, 0 ≤ u ≤ length, at offset ±(start + u); the first axis counts four pieces."""

    start: Array
    length: Array
    slope: Array
    height: Array
    mass: Array

    @classmethod
    def under_tangents(
        cls, rise: Function, slope: Function, left: Array, right: Array, left_start: Array, right_start: Array
    ) -> Envelope:
        """Tangents of a concave `rise` (0 at its peak 0) at the peak and where it has fallen by 1 on either side.

        Newton's method for these two points starts from `left_start` ≤ 0 ≤ `right_start`, at or beyond them.
        """
        pieces = [
            *_one_side(lambda y: rise(-y), lambda y: -slope(-y), -left, -left_start),
            *_one_side(rise, slope, right, right_start),
        ]
        return cls(*(np.stack(np.broadcast_arrays(*column)) for column in zip(*pieces, strict=True)))

    def draw(self, rise: Callable[[Array, Indices], Array], rng: np.random.Generator, size: Size) -> Array:
        """Exact draws; `rise(offsets, i)` is the log-density of the elements i of the flattened result."""
        shape = () if size is None else (size,) if isinstance(size, int) else size
        pieces = [
            np.stack([np.broadcast_to(piece, shape).ravel() for piece in column])  # a new first axis would be misread
            for column in self
        ]
        drawn = np.empty(int(np.prod(shape)))
        pending = np.arange(drawn.size)
        while pending.size:
            start, length, slope, height, mass = (column[:, pending] for column in pieces)
            cumulated = np.cumsum(mass, axis=0)
            pick = np.sum(rng.random(pending.size) * cumulated[3] >= cumulated[:3], axis=0)
            start, length, slope, height = (
                np.take_along_axis(column, pick[np.newaxis], axis=0)[0] for column in (start, length, slope, height)
            )
            u = _truncated_exponential(rng.random(pending.size), slope, length)
            offset = np.where(pick < 2, -1.0, 1.0) * (start + u)
            accepted = -rng.standard_exponential(pending.size) <= rise(offset, pending) - (height + slope * u)
            drawn[pending[accepted]] = offset[accepted]
            pending = pending[~accepted]
        return drawn.reshape(shape)


def _one_side(rise: Function, slope: Function, end: Array, start: Array) -> list[tuple[Array, ...]]:
    """The two pieces over 0 ≤ y ≤ end."""
    y = newton_reach(rise, slope, start, 1.0)
    first = np.minimum(slope(np.zeros_like(y)), 0.0)
    second = np.minimum(slope(y), first)
    bends = second < first
    # Where the tangents meet; each is above the density everywhere, so any other point would do too.
    meet = (-rise(y) + second * y) / np.where(bends, second - first, 1.0)
    meet = np.where(bends, np.clip(meet, 0.0, y), end)
    height = np.where(bends, rise(y) + second * (meet - y), -np.inf)
    length = np.where(bends, end - np.where(bends, meet, 0.0), 0.0)
    pieces = [(np.zeros_like(meet), meet, first, np.zeros_like(meet)), (meet, length, second, height)]
    return [(*piece, np.exp(piece[3]) * _exponential_area(piece[2], piece[1])) for piece in pieces]


def newton_reach(rise: Function, slope: Function, start: Array, drop: float) -> Array:
    """The y ≥ 0 where a concave `rise`, 0 at 0, has fallen by `drop`, or `start` where it has not fallen that far.

    From outside, the tangent of a concave function meets any level before the function does, so every Newton step
    ends outside too: stopping early only gives a farther point.
    """
    y = np.array(start, dtype=float)
    for _ in range(200):
        excess = np.minimum(rise(y) + drop, 0.0)
        incline = slope(y)
        step = np.divide(excess, incline, out=np.zeros_like(y), where=(excess < 0) & (incline < 0))
        y = np.maximum(y - step, 0.0)
        if np.all(step <= 1e-6 * y):
            break
    return y


def _exponential_area(slope: Array, length: Array) -> Array:
    """∫₀^length e^{slope·u} du, slope ≤ 0."""
    steep = slope < 0
    safe = np.where(steep, slope, -1.0)
    return np.where(steep, np.expm1(safe * length) / safe, length)


def _truncated_exponential(uniform: Array, slope: Array, length: Array) -> Array:
    """The quantile of the density ∝ e^{slope·u} on [0, length]."""
    steep = slope < 0
    safe = np.where(steep, slope, -1.0)
    return np.where(steep, np.minimum(np.log1p(uniform * np.expm1(safe * length)) / safe, length), uniform * length)
