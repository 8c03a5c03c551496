r"""Dirichlet(α) restricted to θ_j ≥ a₀ for every j, drawn exactly, at a bounded cost.

In two blocks: split the K coordinates into small ones, S, and large ones, L; let m = 1 − Σ_S θ_j be the mass of L,
α_L = Σ_L α_j and φ = θ_L/m, a point of the simplex. The Jacobian of θ_L ↦ (m, φ) is m^{|L|−1}, so the density of
(θ_S, φ) is

    ∏_S θ_j^{α_j−1} · m^{α_L−1} · ∏_L φ_j^{α_j−1},        θ_j ≥ a₀ on S,  m φ_j ≥ a₀ on L.

For any ρ > 0 let θ_j on S be independent Gamma(α_j, rate ρ) variables given a₀ ≤ θ_j ≤ 1 − (K−1)a₀, and φ ~ Dir(α_L).
As e^{ρ Σ_S θ_j} = e^{ρ(1−m)}, what the target has beyond this proposal is a Gamma density in m,

    target/proposal ∝ h(m) · 1[m ≥ |L| a₀] · 1[m φ_j ≥ a₀ on L],      h(m) = m^{α_L−1} e^{−ρm},

so accept with probability h(m)/max h, the maximum over |L|a₀ ≤ m ≤ 1 − |S|a₀, and start afresh unless every φ_j fits.
What is accepted has exactly the target's law: each trial is independent, and none of its parts is kept on failure.
The truncated Gammas are themselves exact, by rejection under tangents of their log-concave density in ln θ.

The number of trials is that of M(ρ) = ∏_S Z_j(ρ) · max_m m^{α_L−1} e^{ρ(1−m)}, whose logarithm is convex in ρ; ρ is
taken near its least point, Σ_S E_ρ θ_j + m* = 1. L holds the largest α_j and some of those that least often fall
below a₀.

Where every α_j < 1 no block of few has a largest h(m) that fits: it is undetermined which coordinate is the large one.
Let any be. With y_j = θ_j − a₀ and R = 1 − Ka₀, the weights y_k/R sum to 1 and split the target into K parts, and part
k is bounded in θ_k: for

    g_j(y) = (y + a₀)^{α_j−1} e^{−ρy},      Z_j = ∫₀^∞ g_j,      c_k = max_{y ≤ R} y g_k(y),

take the pivot k with probability ∝ c_k/Z_k, draw every other y_j from g_j/Z_j, let y_k be what they leave of R, and
accept with probability y_k g_k(y_k)/c_k. The joint density of k and what is accepted is then ∝ y_k ∏ g_j(y_j), whose
sum over k is R e^{−ρR} times the target.

`sample` takes what needs the fewest trials, some 2 + √(2πK) at most in the mean, whatever α and a₀ are:
docs/truncated-dirichlet.md has what is proven of that and what is measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gamma, gammainc, gammaincc, gammaln

from dpsampling.errors import InputError
from dpsampling.numerics.arrays import Array, Booleans
from dpsampling.numerics.ties import NEAR
from dpsampling.numerics.truncated_beta import Envelope, LogitBeta

LARGEST_SHAPE = 1e12
SMALLEST_SHAPE = 1e-290  # smaller ones act as this one, of which no draw can be told
BATCH = 2_000_000  # numbers in one batch of trials
REACH = 800.0  # e^-800 of a Gamma beyond its floor lies so many of its scales above it

Trials = Callable[[np.random.Generator, int], Array]


class Draws(NamedTuple):
    """Exact draws along the first axis; `trials` counts the proposals."""

    theta: Array
    trials: int


def sample(alpha: ArrayLike, minimum: float, rng: np.random.Generator, size: int = 1) -> Draws:
    """`size` independent draws of θ ~ Dir(α) given every θ_j ≥ `minimum` (0 is no truncation)."""
    alpha = check(alpha, minimum)
    if minimum == 0:
        return Draws(rng.dirichlet(alpha, size), size)
    if len(alpha) == 2:
        return Draws(_pair(alpha, minimum, rng, size), size)
    accepted = choose_trials(alpha, minimum)
    drawn, trials, count, batch = [], 0, 0, size + 15
    while count < size:
        batch = max(1, min(batch, BATCH // len(alpha)))
        theta = accepted(rng, batch)
        drawn.append(theta)
        trials, count = trials + batch, count + len(theta)
        batch = math.ceil(1.2 * (size - count) * trials / count) + 16 if count else 4 * batch
    return Draws(np.concatenate([np.empty((0, len(alpha))), *drawn])[:size], trials)


def choose_trials(alpha: Array, minimum: float) -> Trials:
    """The cheaper of the two schemes: blocks, or pivots where every shape is below 1."""
    large, rate, log_cost = choose_blocks(alpha, minimum)
    if np.max(alpha) < 1:
        pivots = Pivots.balanced(alpha, minimum)
        if not pivots.log_cost > log_cost:
            return pivots.trials
    return partial(block_trials, alpha, minimum, large, rate)


def log_density(theta: ArrayLike, alpha: ArrayLike) -> Array:
    """Σ (α_j − 1) ln θ_j + ln Γ(Σ α_j) − Σ ln Γ(α_j): up to the window's probability, which has no closed form."""
    theta, alpha = np.asarray(theta, dtype=float), np.asarray(alpha, dtype=float)
    return np.sum((alpha - 1.0) * np.log(theta), axis=-1) + gammaln(alpha.sum()) - gammaln(alpha).sum()


def check(alpha: ArrayLike, minimum: float) -> Array:
    """α as an array, or an InputError."""
    alpha = np.asarray(alpha, dtype=float)
    if alpha.ndim != 1 or len(alpha) < 2 or not np.all((alpha > 0) & (alpha <= LARGEST_SHAPE)):
        raise InputError(
            f"alpha must be two or more numbers above 0 and at most {LARGEST_SHAPE:g}; correct the counts or the prior."
        )
    if not 0 <= minimum * len(alpha) < 1:
        raise InputError(
            f"the least probability is {minimum:g}; for {len(alpha)} outcomes it must lie in [0, {1 / len(alpha):g})."
        )
    return alpha


# -- the two blocks ----------------------------------------------------------------------------------------------------


def choose_blocks(alpha: Array, minimum: float) -> tuple[Booleans, float, float]:
    """L as a mask, ρ and ln M: the best of a few nested candidates for L, each at its best ρ. Only speed is at stake.

    Per trial the chance of acceptance is proportional to 1/M, with Z_j(ρ) = Γ(α_j, ρa₀)/ρ^{α_j} and

        M = ∏_S Z_j(ρ) · e^ρ max_m h(m) · ∏_L Γ(α_j)/Γ(α_L).
    """
    count = len(alpha)
    below = gammainc(alpha, alpha.sum() * minimum)
    below[np.argmax(alpha)] = -1.0
    rank = np.empty(count, dtype=int)
    rank[np.argsort(below, kind="stable")] = np.arange(count)
    spread = np.geomspace(1, count, min(count, 9)) + NEAR  # 9^½ is 3, also where it is 2.9999999999999996
    sizes = np.unique(np.append(spread.astype(int), count))[:, np.newaxis]
    large = rank < sizes
    total = np.sum(np.where(large, alpha, 0.0), axis=1)
    floor, ceiling = minimum * sizes[:, 0], 1.0 - minimum * (count - sizes[:, 0])

    def peaks(rate: Array) -> Array:
        return np.clip((total - 1.0) / rate, floor, ceiling)

    # Σ_S E_ρ θ_j + m*(ρ) = 1 by bisection of ln ρ, for every candidate at once.
    low = np.full(len(sizes), math.log(1e-3))
    high = np.full(len(sizes), math.log(4.0 * (alpha.sum() + count) / (1.0 - minimum * count) + 4.0))
    for _ in range(40):
        middle = (low + high) / 2.0
        rate = np.exp(middle)
        means = np.where(large, 0.0, _truncated_gamma_means(alpha, minimum, rate[:, np.newaxis])).sum(axis=1)
        above = means + peaks(rate) > 1.0
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    rate = np.exp(high)
    peak = peaks(rate)
    cost = np.where(large, gammaln(alpha), _log_truncated_gamma(alpha, minimum, rate[:, np.newaxis])).sum(axis=1)
    cost += rate * (1.0 - peak) + (total - 1.0) * np.log(peak) - gammaln(total)
    best = int(np.argmin(cost))
    return large[best], float(rate[best]), float(cost[best])


def block_trials(
    alpha: Array, minimum: float, large: Booleans, rate: float, rng: np.random.Generator, count: int
) -> Array:
    """The accepted ones of `count` independent trials."""
    theta = np.empty((count, len(alpha)))
    if not np.all(large):
        top = 1.0 - (len(alpha) - 1) * minimum
        theta[:, ~large] = truncated_gamma(alpha[~large], rate, minimum, top, rng, (count, int(np.sum(~large))))
    rest = 1.0 - theta[:, ~large].sum(axis=1)
    total, members = float(alpha[large].sum()), int(np.sum(large))
    lowest, highest = members * minimum, 1.0 - (len(alpha) - members) * minimum
    peak = min(max((total - 1.0) / rate, lowest), highest)
    possible = rest >= lowest
    # ln h(m) − ln h(m*), from the ratio of the two: their logarithms alone would lose digits at large α.
    shift = np.where(possible, rest, peak) - peak
    log_ratio = (total - 1.0) * np.log1p(shift / peak) - rate * shift
    accepted = possible & (-rng.standard_exponential(count) <= log_ratio)
    theta, rest = theta[accepted], rest[accepted]
    split = rng.dirichlet(alpha[large], len(theta)) if members > 1 else np.ones((len(theta), 1))
    theta[:, large] = rest[:, np.newaxis] * split
    return theta[np.all(theta[:, large] >= minimum, axis=1)]


def truncated_gamma(
    shape: ArrayLike, rate: ArrayLike, low: float, high: float, rng: np.random.Generator, size: tuple[int, ...]
) -> Array:
    """Exact draws of Gamma(shape, rate) given low ≤ x ≤ high, 0 < low < high < ∞.

    With x = x_m e^y, x_m the peak of x^shape e^{−rate x} in the window, the log-density of y is
    shape·y − rate·x_m (e^y − 1).
    """
    shape, rate = np.broadcast_arrays(np.asarray(shape, dtype=float), np.asarray(rate, dtype=float))
    peak = np.clip(shape / rate, low, high)
    pull = rate * peak
    left, right = np.log(low / peak), np.log(high / peak)
    shapes, pulls, peaks = (np.broadcast_to(part, size).ravel() for part in (shape, pull, peak))
    envelope = Envelope.under_tangents(
        lambda y: shape * y - pull * np.expm1(y), lambda y: shape - pull * np.exp(y), left, right, left, right
    )
    offset = envelope.draw(lambda y, i: shapes[i] * y - pulls[i] * np.expm1(y), rng, size)
    return np.clip(peaks.reshape(size) * np.exp(offset), low, high)


def _truncated_gamma_means(shape: Array, low: float, rate: Array) -> Array:
    """E[x | x ≥ low], or in the far tail that of an exponential with the density's slope at `low`."""
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = shape / rate * gammaincc(shape + 1.0, rate * low) / gammaincc(shape, rate * low)
    return np.where(np.isfinite(mean) & (mean > low), mean, low + 1.0 / _tail_slope(shape, low, rate))


def _log_truncated_gamma(shape: Array, low: float, rate: Array) -> Array:
    """ln ∫ x^{shape−1} e^{−rate x} dx over x ≥ low, or what that exponential makes of it."""
    with np.errstate(divide="ignore"):
        whole = gammaln(shape) - shape * np.log(rate) + np.log(gammaincc(shape, rate * low))
    tail = (shape - 1.0) * math.log(low) - rate * low - np.log(_tail_slope(shape, low, rate))
    return np.where(np.isfinite(whole), whole, tail)


def _tail_slope(shape: Array, low: float, rate: Array) -> Array:
    with np.errstate(over="ignore"):
        return np.maximum(rate - (shape - 1.0) / low, rate * 1e-6)


# -- any pivot ---------------------------------------------------------------------------------------------------------


class Pivots(NamedTuple):
    """The scheme for shapes below 1 at the rate ρ: where y g_k(y) is largest, how often k is the pivot, and ln M."""

    alpha: Array
    minimum: float
    rate: float
    peaks: Array
    weights: Array
    log_cost: float

    @classmethod
    def balanced(cls, alpha: Array, minimum: float) -> Pivots:
        """ρ where Σ E y_j = R, but at least 1: between 0 and 1 it hardly matters, and ρa₀ might underflow."""
        alpha = np.maximum(alpha, SMALLEST_SHAPE)
        spare = 1.0 - len(alpha) * minimum
        low, high = 0.0, math.log(len(alpha) / spare)  # as E y_j < 1/ρ
        for _ in range(40):
            middle = (low + high) / 2.0
            t = math.exp(middle) * minimum
            above = np.sum(alpha - t + np.exp(-_log_mass_at_floor(alpha, t))) > math.exp(middle) * spare
            low, high = (middle, high) if above else (low, middle)
        rate = math.exp(high)
        t = rate * minimum
        gap = alpha - t
        root = np.sqrt(gap * gap + 4.0 * t)
        # y² + (t − α) y = t in units of 1/ρ, by the formula that does not cancel.
        peaks = np.minimum(np.where(gap > 0, (root + gap) / 2.0, 2.0 * t / (root - np.minimum(gap, 0.0))), rate * spare)
        log_mass, log_peaks = _log_mass_at_floor(alpha, t), np.log(peaks)
        rise = np.logaddexp(0.0, log_peaks - math.log(t))
        weights = np.exp(log_peaks - math.log(t) + (alpha - 1.0) * rise - peaks - log_mass)
        log_masses = alpha * math.log(minimum) - t + log_mass
        log_cost = rate + log_masses.sum() + math.log(weights.sum()) - math.log(spare)
        return cls(alpha, minimum, rate, peaks / rate, weights / weights.sum(), float(log_cost))

    def trials(self, rng: np.random.Generator, count: int) -> Array:
        """The accepted ones of `count` independent trials."""
        alpha, minimum, rate = self.alpha, self.minimum, self.rate
        pivot, rows = rng.choice(len(alpha), count, p=self.weights), np.arange(count)
        theta = truncated_gamma(alpha, rate, minimum, minimum + REACH / rate, rng, (count, len(alpha)))
        theta[rows, pivot] = minimum
        rest = 1.0 - len(alpha) * minimum - np.sum(theta - minimum, axis=1)
        possible = rest > 0
        peak = self.peaks[pivot]
        step = np.where(possible, rest, peak) - peak
        log_ratio = np.log1p(step / peak) + (alpha[pivot] - 1.0) * np.log1p(step / (peak + minimum)) - rate * step
        theta[rows, pivot] += rest
        return theta[possible & (-rng.standard_exponential(count) <= log_ratio)]


def _log_mass_at_floor(shape: Array, t: float) -> Array:
    """ln [Γ(a, t) t^{−a} e^t] for a < 1, to full accuracy; by the continued fraction where t ≥ 1."""
    if t < 1:
        return np.log(gamma(shape) * gammaincc(shape, t)) + t - shape * math.log(t)
    value = np.zeros_like(shape)
    for n in range(100, 0, -1):
        value = n * (n - shape) / (t + 2.0 * n + 1.0 - shape - value)
    return -np.log(t + 1.0 - shape - value)


# -- pairs -------------------------------------------------------------------------------------------------------------


def _pair(alpha: Array, minimum: float, rng: np.random.Generator, size: int) -> Array:
    """Both coordinates of a truncated Beta; the second is formed from θ too, so that neither loses its digits."""
    end = float(np.log1p(-minimum) - np.log(minimum))
    theta = LogitBeta(alpha[0], alpha[1], -end, end).sample(rng, size)
    odds = np.exp(-np.abs(theta))
    less, more = odds / (1.0 + odds), 1.0 / (1.0 + odds)
    return np.stack([np.where(theta < 0, less, more), np.where(theta < 0, more, less)], axis=-1)
