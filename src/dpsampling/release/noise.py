r"""The law of a sum of independent two-sided geometric variables, which is the noise of a sum of noisy counts.

    Pr(Y = y) = (1−q)/(1+q) · q^|y|, q = e^{−r};      E e^{isY} = 1/(1 + 4q sin²(s/2)/(1−q)²),

closed for one variable. Of several, the characteristic function's power is inverted by a fast Fourier transform on the
whole numbers, or, where these are too many, on every h-th of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.numerics.arrays import Array

LARGEST = 1 << 20  # points of a table
SILENT = 600.0  # a rate from which noise is 0, but for one time in 10²⁶⁰
TAIL = 1e-12  # mass beyond the support that is looked at


@dataclass(frozen=True)
class Noise:
    """Of `terms` variables of this `rate`; a sum of none is 0."""

    rate: float
    terms: int = 1

    @classmethod
    def of(cls, rate: Fraction, terms: int = 1) -> Noise:
        """Of the rational rate that noise was drawn at."""
        return cls(min(float(rate), SILENT), terms)

    @property
    def sd(self) -> float:
        """Its standard deviation."""
        return math.sqrt(self.terms / 2.0) / math.sinh(self.rate / 2.0)

    @property
    def reach(self) -> int:
        """Beyond it there is less than `TAIL` on either side."""
        return math.ceil(-math.log(TAIL) / self.rate + (8.0 * self.sd if self.terms > 1 else 0.0)) + 1

    def cdf(self, y: ArrayLike) -> Array:
        """Pr(Y ≤ y) of whole y."""
        y = np.asarray(np.floor(np.asarray(y, dtype=float)), dtype=float)
        if self.terms == 1:
            q = math.exp(-self.rate)
            tail = np.exp(-self.rate * np.where(y < 0, -y, y + 1.0)) / (1.0 + q)
            return np.where(y < 0, tail, 1.0 - tail)
        edges, masses = _table(self.rate, self.terms)
        return np.interp(y + 0.5, edges, masses, left=0.0, right=1.0)

    def mass(self, y: ArrayLike) -> Array:
        """Pr(Y = y)."""
        if self.terms == 1:
            return math.tanh(self.rate / 2.0) * np.exp(-self.rate * np.abs(np.asarray(y, dtype=float)))
        y = np.asarray(y, dtype=float)
        return np.maximum(self.cdf(y) - self.cdf(y - 1.0), 0.0)

    def frequency(self, s: Array) -> Array:
        """E e^{isY}."""
        wave = (np.sin(s / 2.0) / math.sinh(self.rate / 2.0)) ** 2  # 4q/(1−q)² = 1/sinh²(r/2)
        return (1.0 + wave) ** -float(self.terms)

    def quantile(self, share: float) -> int:
        """The least y with Pr(|Y| ≤ y) ≥ `share`."""
        low, high = -1, self.reach + 1
        while high - low > 1:
            middle = (low + high) // 2
            enough = 1.0 - 2.0 * float(self.cdf(-middle - 1)) >= share
            low, high = (low, middle) if enough else (middle, high)
        return high

    @property
    def mean_size(self) -> float:
        """E |Y| = 2 Σ_{y≥0} Pr(Y > y)."""
        if self.terms == 1:
            return 1.0 / math.sinh(self.rate)
        step = -(-self.reach // LARGEST)  # where it is not 1, tails are straight lines between the points
        tails = self.cdf(-1.0 - step * np.arange(self.reach // step + 1.0))
        return float(2.0 * (step * np.sum(tails) - (step - 1.0) / 2.0 * tails[0]))


@lru_cache(maxsize=16)
def _table(rate: float, terms: int) -> tuple[Array, Array]:
    """Pr(Y ≤ e) at edges e between the points of a lattice."""
    noise = Noise(rate, terms)
    points = 2 * noise.reach + 2
    step = -(-points // LARGEST)
    size = 1 << math.ceil(math.log2(points / step))
    waves = noise.frequency(2.0 * math.pi * np.arange(size // 2 + 1.0) / (size * step))
    masses = np.fft.fftshift(np.fft.irfft(waves, size))
    totals = np.cumsum(np.maximum(masses, 0.0))
    edges: Array = (np.arange(float(size)) - size // 2 + 0.5) * step
    return edges, np.asarray(totals / totals[-1], dtype=float)
