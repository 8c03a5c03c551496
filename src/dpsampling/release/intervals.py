r"""Intervals that hold what they say: exactly a share L of all releases have the true value in theirs.

A released number y is whole, or has atoms at the ends where it is clipped, so a coin U ~ uniform(0, 1) is needed:

    V_c = Pr_c(Y < y) + U·Pr_c(Y = y)

is uniform if c is the truth, and falls as c grows. With α = 1 − L, the interval is that of all c with

    a(c) ≤ V_c ≤ L + a(c),

so that each c is in it with probability L, whatever a is. a(c) = α/2 cuts off as much on either side. Where c is so
near its least value that y stands at its own lower end with probability above α/2, nothing more can be cut off below: a
falls to 0 there, and rises to α at the largest value. As a grows with c, the accepted c have no gaps; as a runs from 0
to α, there is one at least, and none is impossible. Only a number that is right more often than L leaves none at times:
then the interval is the number itself, and its level what it attains.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, ndtr

from dpsampling.errors import InputError
from dpsampling.numerics import truncated_beta
from dpsampling.numerics.arrays import Array, Booleans
from dpsampling.numerics.noisy_counts import successes
from dpsampling.release.noise import Noise

SLOPE = 1e-3  # of a(c) where c is nowhere near an end, in units of α
HALVINGS = 60
THIN = 1e-6  # mass of a window
FINE = 1e-10  # of itself, how far an end may be from where it belongs


@dataclass(frozen=True)
class Interval:
    """From `low` to `high`, with the level that is attained."""

    low: float
    high: float
    level: float


class Heard(Protocol):
    """What was released of a number k of yes among public N, as tests of k see it."""

    @property
    def records(self) -> float:
        """N, or infinity."""

    @property
    def far(self) -> float:
        """A k beyond which none is accepted, or N."""

    def below(self, k: Array) -> Array:
        """V_k."""

    def at_ends(self, k: Array) -> tuple[Array, Array]:
        """How likely the released number is at its lower, and at its upper end."""


@dataclass(frozen=True, eq=False)
class NoisyCount:
    """min(max(k + Y, 0), N) with whole noise; `value` and `coin` may be arrays of many counts."""

    value: ArrayLike
    coin: ArrayLike
    noise: Noise
    records: float = math.inf

    @property
    def far(self) -> float:
        """The largest count, and all that noise can take from it."""
        return max(0.0, float(np.max(self.value))) + self.noise.reach + 1.0

    def below(self, k: Array) -> Array:
        """V_k."""
        y = np.clip(self.value, 0.0, self.records)
        least, most = y == 0, y == self.records
        before = np.where(least, 0.0, self.noise.cdf(y - 1.0 - k))
        up_to = np.where(most, 1.0, self.noise.cdf(y - k))
        return before + np.asarray(self.coin) * (up_to - before)

    def at_ends(self, k: Array) -> tuple[Array, Array]:
        """Pr(k + Y ≤ 0) and Pr(k + Y ≥ N)."""
        high = np.zeros_like(k) if math.isinf(self.records) else self.noise.cdf(k - self.records)
        return self.noise.cdf(-k), high


@dataclass(frozen=True)
class NoisySum:
    """min(max(k + N(0, σ²), 0), N)."""

    value: float
    coin: float
    sigma: float
    records: float

    @property
    def far(self) -> float:
        """N."""
        return self.records

    def below(self, k: Array) -> Array:
        """V_k."""
        if self.value <= 0:
            return self.coin * ndtr(-k / self.sigma)
        if self.value >= self.records:
            return 1.0 - (1.0 - self.coin) * ndtr((k - self.records) / self.sigma)
        return np.asarray(ndtr((self.value - k) / self.sigma))

    def at_ends(self, k: Array) -> tuple[Array, Array]:
        """Pr(k + Y ≤ 0) and Pr(k + Y ≥ N)."""
        return ndtr(-k / self.sigma), ndtr((k - self.records) / self.sigma)


@dataclass(frozen=True)
class Draw:
    """One draw of Beta(a + tk, b + t(N − k)), given that it is in [`window`, 1 − `window`]."""

    value: float
    a: float
    b: float
    weight: float
    records: float
    window: float = 0.0

    @property
    def far(self) -> float:
        """N."""
        return self.records

    @property
    def count(self) -> float:
        """The k at whose mean it stands, as far as k can be that."""
        whole = self.a + self.b + self.weight * self.records
        return min(max((self.value * whole - self.a) / self.weight, 0.0), self.records)

    @property
    def spread(self) -> float:
        """The standard deviation of such draws for the k at which it stands, if none is cut off."""
        a, b = (float(shape) for shape in self._shapes(np.array(self.count)))
        return math.sqrt(a * b / (a + b + 1.0)) / (a + b)

    def below(self, k: Array) -> Array:
        """V_k."""
        return self._cdf(self.value, k)

    def at_ends(self, k: Array) -> tuple[Array, Array]:
        """How likely it is beyond the medians of k = 0 and of k = N."""
        low, high = _end_medians(replace(self, value=0.5))
        return self._cdf(low, k), 1.0 - self._cdf(high, k)

    def _shapes(self, k: Array) -> tuple[Array, Array]:
        return self.a + self.weight * k, self.b + self.weight * (self.records - k)

    def _cdf(self, x: float, k: Array) -> Array:
        shapes = self._shapes(k)
        if not self.window:
            return np.asarray(betainc(*shapes, x))
        low, high = self.window, 1.0 - self.window
        first, last, here = (betainc(*shapes, end) for end in (low, high, min(max(x, low), high)))
        held = last - first
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.asarray((here - first) / held)
        thin = np.asarray(held < THIN)  # of a tail, differences lose their digits
        if np.any(thin):
            a, b = (np.broadcast_to(shape, thin.shape)[thin] for shape in shapes)
            found = np.where(thin, 0.0, found)
            found[thin] = truncated_beta.cdf(min(max(x, low), high), a, b, low, high)
        return found

    def median(self, k: float) -> float:
        """Of the draws, given k."""
        low, high = self.window, 1.0 - self.window
        for _ in range(HALVINGS):
            middle = (low + high) / 2.0
            low, high = (middle, high) if float(self._cdf(middle, np.array(k))) < 0.5 else (low, middle)
        return low


@lru_cache(maxsize=8)
def _end_medians(law: Draw) -> tuple[float, float]:
    return law.median(0.0), law.median(law.records)


def check_level(level: float) -> float:
    """Return what an interval may hold."""
    if not 0.5 <= level <= 0.999:
        raise InputError(f"--level is {level:g}; an interval's level is from 0.5 to 0.999, such as 0.9.")
    return level


def in_the_data(heard: Heard, level: float) -> Interval:
    """Of the number in the data; only noise is in the way."""
    low, high = (float(end[0]) for end in _ends(heard, level, (1,)))
    return Interval(min(low, high), max(low, high), level)


def of_counts(counts: NoisyCount, level: float) -> tuple[Array, Array, Array]:
    """Both ends, and the levels that are attained, of whole noisy counts."""
    value = np.clip(np.asarray(counts.value, dtype=float), 0.0, counts.records)
    low, high = _ends(counts, level, value.shape)
    own = (high < low) | (float(counts.noise.mass(0)) >= level)
    sure, before = (NoisyCount(value, coin, counts.noise, counts.records).below(value) for coin in (1.0, 0.0))
    return np.where(own, value, low), np.where(own, value, high), np.where(own, sure - before, level)


def _ends(heard: Heard, level: float, shape: tuple[int, ...]) -> tuple[Array, Array]:
    """The least and the largest accepted k; the largest is below the least where none is accepted."""
    alpha, most = 1.0 - level, heard.records

    def share(k: Array) -> Array:
        return _cut_off(alpha, *heard.at_ends(k), 0.0 if math.isinf(most) else 2.0 * k / most - 1.0)

    first, last = (-alpha / 2.0, alpha / 2.0) if math.isinf(most) else map(share, np.array([0.0, most]))

    def cut(k: Array) -> Array:
        return alpha * (share(k) - first) / (last - first)

    far = min(most, heard.far)
    low = _least(lambda k: heard.below(k) <= level + cut(k), shape, far)
    return low, _least(lambda k: heard.below(k) < cut(k), shape, far + 1.0) - 1.0


def in_the_population(heard: Heard, level: float) -> Interval:
    """Of the share among all that the rows were drawn from, one by one: k ~ Binomial(N, p) is in the way as well."""
    table = _Table(heard)

    def over_rows(p: float) -> Array:
        k, mass = rows_of(heard.records, p)
        return np.asarray(table.of(k) @ mass)

    def ends(p: float) -> tuple[float, float]:
        _, low, high = over_rows(p).tolist()
        return low, high

    return of_share(lambda p: float(over_rows(p)[0]), ends, level)


class _Table:
    """V_k and how likely either end is, each computed at the first p that needs this k: most k serve many p."""

    def __init__(self, heard: Heard) -> None:
        self._heard = heard
        self._known = np.full((3, int(heard.records) + 1), np.nan)

    def of(self, k: Array) -> Array:
        """A row each for V_k, the lower and the upper end."""
        places = k.astype(np.int64)
        new = places[np.isnan(self._known[0, places])]
        if new.size:
            self._known[:, new] = self._heard.below(new.astype(float)), *self._heard.at_ends(new.astype(float))
        return self._known[:, places]


def rows_of(records: float, p: float) -> tuple[Array, Array]:
    """How many of N rows say yes, and how likely."""
    if 0.0 < p < 1.0 and records:
        return successes(records, p)
    return np.array([records if p == 1.0 else 0.0]), np.ones(1)


def of_share(
    below: Callable[[float], float], at_ends: Callable[[float], tuple[float, float]], level: float
) -> Interval:
    """All p in [0, 1] with a(p) ≤ V_p ≤ L + a(p)."""
    cut = cut_of_share(at_ends, 1.0 - level)

    def above(p: float, by: float) -> bool:
        return below(p) > by + cut(p)

    middle = _crossing(lambda p: above(p, level / 2.0), 0.0, 1.0)
    low = _crossing(lambda p: above(p, level), 0.0, middle) if above(0.0, level) else 0.0
    high = _crossing(lambda p: below(p) >= cut(p), middle, 1.0) if below(1.0) < cut(1.0) else 1.0
    return Interval(low, high, level)


def cut_of_share(at_ends: Callable[[float], tuple[float, float]], alpha: float) -> Callable[[float], float]:
    """a(p)."""

    def share(p: float) -> float:
        low, high = at_ends(p)
        return float(_cut_off(alpha, low, high, 2.0 * p - 1.0))

    first, last = share(0.0), share(1.0)
    return lambda p: alpha * (share(p) - first) / (last - first)


def _crossing(before: Callable[[float], bool], low: float, high: float) -> float:
    """Where what is true at `low` ceases to be, halved on the scale of p near 0 and of 1 − p near 1."""
    for _ in range(HALVINGS):
        if high - low < FINE * min(high, 1.0 - low):
            break
        middle = math.sqrt(low * high) if 0.0 < 4.0 * low < high else (low + high) / 2.0
        low, high = (middle, high) if before(middle) else (low, middle)
    return (low + high) / 2.0


def _cut_off(alpha: float, at_low: ArrayLike, at_high: ArrayLike, place: ArrayLike) -> Array:
    """a(c), but for its scale: from its least at one end to its largest at the other."""
    half = alpha / 2.0
    return (
        np.clip(alpha - np.asarray(at_low), 0.0, half)
        - np.clip(alpha - np.asarray(at_high), 0.0, half)
        + SLOPE * alpha * np.asarray(place)
    )


def _least(holds: Callable[[Array], Booleans], shape: tuple[int, ...], most: float) -> Array:
    """The least whole k from which on it holds, or `most`."""
    low, high = np.full(shape, -1.0), np.full(shape, most)
    while np.any(high - low > 1.0):
        middle = np.floor((low + high) / 2.0)
        yes, between = holds(middle), middle > low  # where both ends have met, nothing moves any more
        low, high = np.where(yes, low, middle), np.where(yes & between, middle, high)
    return high
