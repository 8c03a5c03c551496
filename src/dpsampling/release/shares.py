r"""The share that two noisy counts tell of, when how many rows there are is private.

With k of N rows in the one count, N − k in the other, noise Y₁ and Y₂, and released ŷ = k + Y₁, n̂ = N − k + Y₂,

    T_p = (1−p) ŷ − p n̂ = k − pN + (1−p) Y₁ − p Y₂.

In the data p is k/N, so that T_p is noise alone, and its law is known whatever N is: p is tested by it, with a coin
where atoms matter. In a population k is binomial, and ŷ + n̂ is put in for N: it is off by the noise, which hides what
the rows' chance adds. But for small p, T_p is nearly whole, and by how little it is not would be off as well: T_p
is tested together with U − ½, which hides that too, by the inverse of its characteristic function.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpsampling.numerics.arrays import Array
from dpsampling.release.intervals import Interval, of_share, rows_of
from dpsampling.release.noise import Noise

ATOMS = 30_000  # noises that are summed one by one, on either side
POINTS = 4096  # of a lattice, FINENESS to a standard deviation
FINENESS = 48.0
SAME = 1e-9  # what two atoms of T differ by when they are one


@dataclass(frozen=True)
class TwoCounts:
    """ŷ and n̂ with the law of each one's noise, and a coin."""

    yes: float
    no: float
    of_yes: Noise
    of_no: Noise
    coin: float

    @property
    def rows(self) -> float:
        """Return what they say of N."""
        return max(0.0, self.yes + self.no)

    def in_the_data(self, level: float) -> Interval:
        """Of the share in the data; of two counts that are both right more often than that, the share itself."""
        sure = float(self.of_yes.mass(0) * self.of_no.mass(0))
        if sure >= level and self.yes >= 0.0 and self.no >= 0.0 and self.rows:
            return Interval(self.yes / self.rows, self.yes / self.rows, sure)
        return self._interval(level, sampled=False)

    def in_the_population(self, level: float) -> Interval:
        """Of the share among all that the rows were drawn from, one by one."""
        return self._interval(level, sampled=True)

    def _interval(self, level: float, *, sampled: bool) -> Interval:
        return of_share(lambda p: self.below(p, sampled=sampled), lambda p: self.at_ends(p, sampled=sampled), level)

    def at_ends(self, p: float, *, sampled: bool) -> tuple[float, float]:
        """How likely yes, and how likely no, is at most 0."""
        k, mass = self._rows(p, sampled)
        return float(mass @ self.of_yes.cdf(-np.floor(k))), float(mass @ self.of_no.cdf(-np.floor(self.rows - k)))

    def _rows(self, p: float, sampled: bool) -> tuple[Array, Array]:
        return rows_of(self.rows, p) if sampled else (np.array([self.rows * p]), np.ones(1))

    def below(self, p: float, *, sampled: bool) -> float:
        """Pr(T_p < t) + U Pr(T_p = t) for the t that was released, or Pr(T_p + U − ½ < t + u − ½) for its own coin."""
        t = (1.0 - p) * self.yes - p * self.no
        if sampled:
            return self._by_waves(p, self.rows, t + self.coin - 0.5)
        if self.of_yes.reach <= ATOMS:
            return self._by_atoms(p, t)
        return self._by_waves(p, 0.0, t)

    def _by_atoms(self, p: float, t: float) -> float:
        """Of each noise of the one count, what the other's must exceed."""
        i = np.arange(-self.of_yes.reach, self.of_yes.reach + 1.0)
        rest = (1.0 - p) * i - t
        if p == 0.0:
            tails = np.where(np.abs(rest) <= SAME, self.coin, rest < 0.0)
        else:
            bound = rest / p  # T < t where Y₂ exceeds it
            whole = np.round(bound)
            same = np.abs(bound - whole) <= SAME * np.maximum(1.0, np.abs(bound))
            tails = self.of_no.cdf(-np.where(same, whole, np.floor(bound)) - 1.0)
            tails = tails + np.where(same, self.coin * self.of_no.mass(whole), 0.0)
        return float(tails @ self.of_yes.mass(i))

    def _by_waves(self, p: float, rows: float, t: float) -> float:
        """By the law's characteristic function, on a lattice far finer than the law is wide."""
        dither = 1.0 / 12.0 if rows else 0.0
        of_rows = rows * p * (1.0 - p)
        sd = math.sqrt(dither + of_rows + ((1.0 - p) * self.of_yes.sd) ** 2 + (p * self.of_no.sd) ** 2)
        step = sd / FINENESS
        s: Array = 2.0 * math.pi * np.arange(POINTS // 2 + 1.0) / (POINTS * step)
        waves: NDArray[Any] = self.of_yes.frequency((1.0 - p) * s) * self.of_no.frequency(p * s)
        if rows:
            waves = waves * np.exp(rows * (np.log1p(p * np.expm1(1j * s)) - 1j * p * s)) * np.sinc(s / (2.0 * math.pi))
        masses = np.fft.fftshift(np.fft.irfft(np.conj(waves), POINTS))
        edges = (np.arange(POINTS) - POINTS // 2 + 0.5) * step
        return float(np.interp(t, edges, np.cumsum(masses)))
