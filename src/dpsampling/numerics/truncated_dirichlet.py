r"""Dirichlet(α) restricted to θ_j ≥ a₀ for every j, drawn exactly in two blocks.

Split the K coordinates into small ones, S, and large ones, L; let m = 1 − Σ_S θ_j be the mass of L, α_L = Σ_L α_j and
φ = θ_L/m, a point of the simplex. The Jacobian of θ_L ↦ (m, φ) is m^{|L|−1}, so the density of (θ_S, φ) is

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

If exact draws would be too rare, random pairs are updated instead: given the others, θ_i/(θ_i+θ_j) is a truncated
Beta(α_i, α_j). That chain has the target as its law in the limit only, and the result says so.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammainc, gammaincc, gammaln

from dpsampling.errors import InputError
from dpsampling.numerics.truncated_beta import Envelope, LogitBeta, logit_difference

Array = NDArray[np.float64]

LARGEST_SHAPE = 1e12
TRIALS = 100_000  # without one acceptance, before the chain takes over
BATCH = 2_000_000  # numbers in one batch of trials
CHAIN_UPDATES = 100  # pair updates of the fallback per coordinate and draw


class Draws(NamedTuple):
    """Draws along the first axis; `exact` is false where they come from the chain, `trials` counts the proposals."""

    theta: Array
    exact: bool
    trials: int


def sample(alpha: ArrayLike, minimum: float, rng: np.random.Generator, size: int = 1) -> Draws:
    """`size` independent draws of θ ~ Dir(α) given every θ_j ≥ `minimum` (0 is no truncation)."""
    alpha = check(alpha, minimum)
    if minimum == 0:
        return Draws(rng.dirichlet(alpha, size), True, size)
    if len(alpha) == 2:
        return Draws(_pair(alpha, minimum, rng, size), True, size)
    large, rate = choose_blocks(alpha, minimum)
    drawn, trials, count, batch = [], 0, 0, size + 15
    while count < size:
        batch = max(1, min(batch, BATCH // len(alpha)))
        theta = block_trials(alpha, minimum, large, rate, rng, batch)
        drawn.append(theta)
        trials, count = trials + batch, count + len(theta)
        if trials >= TRIALS and not count:
            return Draws(chain_draws(alpha, minimum, rng, size), False, trials)
        batch = math.ceil(1.2 * (size - count) * trials / count) + 16 if count else 4 * batch
    return Draws(np.concatenate(drawn)[:size], True, trials)


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


def choose_blocks(alpha: Array, minimum: float) -> tuple[NDArray[np.bool_], float]:
    """L as a mask, and ρ: the best of a few nested candidates for L, each with its best ρ; only the speed is at stake.

    Per trial the chance of acceptance is proportional to 1/M, with Z_j(ρ) = Γ(α_j, ρa₀)/ρ^{α_j} and

        M = ∏_S Z_j(ρ) · e^ρ max_m h(m) · ∏_L Γ(α_j)/Γ(α_L).
    """
    count = len(alpha)
    below = gammainc(alpha, alpha.sum() * minimum)
    below[np.argmax(alpha)] = -1.0
    rank = np.empty(count, dtype=int)
    rank[np.argsort(below, kind="stable")] = np.arange(count)
    sizes = np.unique(np.append(np.geomspace(1, count, min(count, 9)).astype(int), count))[:, np.newaxis]
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
    return large[best], float(rate[best])


def block_trials(
    alpha: Array, minimum: float, large: NDArray[np.bool_], rate: float, rng: np.random.Generator, count: int
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
    return np.maximum(rate - (shape - 1.0) / low, rate * 1e-6)


# -- pairs -------------------------------------------------------------------------------------------------------------


def _pair(alpha: Array, minimum: float, rng: np.random.Generator, size: int) -> Array:
    """Both coordinates of a truncated Beta; the second is formed from θ too, so that neither loses its digits."""
    end = float(np.log1p(-minimum) - np.log(minimum))
    theta = LogitBeta(alpha[0], alpha[1], -end, end).sample(rng, size)
    odds = np.exp(-np.abs(theta))
    less, more = odds / (1.0 + odds), 1.0 / (1.0 + odds)
    return np.stack([np.where(theta < 0, less, more), np.where(theta < 0, more, less)], axis=-1)


def chain_draws(
    alpha: ArrayLike, minimum: float, rng: np.random.Generator, size: int, updates: int | None = None
) -> Array:
    """`size` independent chains after `updates` updates of random pairs each, from the window's centre."""
    alpha = check(alpha, minimum)
    count = len(alpha)
    theta, rows = np.full((size, count), 1.0 / count), np.arange(size)
    for _ in range(CHAIN_UPDATES * count if updates is None else updates):
        i = rng.integers(count, size=size)
        j = (i + rng.integers(1, count, size=size)) % count
        both = theta[rows, i] + theta[rows, j]
        # The share of i lies in [a₀/both, 1 − a₀/both], an interval around ½ that may have closed up to rounding.
        low = np.minimum(minimum / both, 0.5 - 1e-12)
        end = logit_difference(low, 1.0 - low) / 2.0
        share = LogitBeta(alpha[i], alpha[j], -end, end).sample(rng)
        theta[rows, i] = np.maximum(both / (1.0 + np.exp(-share)), minimum)
        theta[rows, j] = np.maximum(both / (1.0 + np.exp(share)), minimum)
    return theta
