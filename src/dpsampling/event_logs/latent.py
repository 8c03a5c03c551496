"""The noise-aware sampler: true counts as latent variables behind the noisy ones, compiled.

The noisy counts are y = n + Laplace(b), of which the public knows y and b. Clipping y at 0 adds b/2 to every count that
is truly 0, and there are hundreds. Instead let the entries of cell c be a Poisson process of rate λ_c, each feature for
itself,

    n_{c,d,j} | z_c = k ~ Poisson(λ_c θ_j^(k,d)),      Pr(λ_c) ∝ λ_c^{−1/2},

and draw, besides θ and z of `gibbs` given the latent n,

    λ_c | n        ~ Gamma(½ + Σ_{d,j} n, D)
    z_c | y, λ, θ  ∝ Pr(z_c | other z) Π_{d,j} E(y; λ_c θ_j^(k,d)),      E(y; μ) = Σ_n e^{−μ} μⁿ/n! · e^{−|y−n|/b}
    n   | y, z, λ, θ  ∝ μⁿ/n! · e^{−|y−n|/b}

where z_c has its latent counts summed out (given them it could hardly move) and they are drawn next. A sweep renews a
`share` of the cells in this way, in turn, and all of them by the cheap conditional of `gibbs`.

Noise of a release is on the whole numbers, Pr(y | n) = tanh(1/(2b)) e^{−|y−n|/b}, that of a simulation has the density
e^{−|y−n|/b}/(2b): either factor in front is free of n, z, λ and θ and drops out, so that at a whole y all of the above
holds as it stands.

Post-processing of a private release: it costs no further ε.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from dpsampling.event_logs import gammas, gibbs, truncated
from dpsampling.event_logs.kernel_cache import drop_stale
from dpsampling.numerics.arrays import Array, Booleans, Integers

drop_stale(__file__, [gammas.__file__, gibbs.__file__, truncated.__file__])


_NEGLIGIBLE = 1e-17  # terms of a sum below this share of the largest are left out
_SERIES = 30.0  # largest μ e^{1/b} of which the terms are added up from n = 0, so that a sum is at most its exponential
_PRODUCT = 16  # so many such sums have a product below the largest double


@njit(cache=True)
def _mode(noisy: float, mean: float, scale: float, grow: float, shrink: float) -> int:
    """The n that maximises μⁿ/n! · e^{−|y−n|/b}: terms of a Poisson(μ e^{1/b}) below y, of μ e^{−1/b} above."""
    if noisy <= 0.0:
        return int(mean * shrink)
    below = mean * grow
    if below < noisy:
        return int(below)
    above = mean * shrink
    if above > noisy:
        return int(above)
    # The kink: one of the two whole numbers around y.
    lower = int(noisy)
    step = mean / (lower + 1.0) * math.exp((abs(noisy - lower) - abs(noisy - lower - 1.0)) / scale)
    return lower + 1 if step > 1.0 else lower


@njit(cache=True)
def _up(n: int, noisy: float, mean: float, scale: float, grow: float, shrink: float) -> float:
    """The ratio of the terms at n + 1 and n."""
    if n + 1 <= noisy:
        return mean * grow / (n + 1.0)
    if n >= noisy:
        return mean * shrink / (n + 1.0)
    return mean / (n + 1.0) * math.exp((noisy - n - (n + 1.0 - noisy)) / scale)


@njit(cache=True)
def _sum(noisy: float, mean: float, scale: float, mode: int, grow: float, shrink: float) -> float:
    """Σ_n of the terms over the one at the mode."""
    total, term, n = 1.0, 1.0, mode
    while True:
        term *= _up(n, noisy, mean, scale, grow, shrink)
        n += 1
        if term < _NEGLIGIBLE:
            break
        total += term
    term, n = 1.0, mode
    while n > 0:
        term /= _up(n - 1, noisy, mean, scale, grow, shrink)
        n -= 1
        if term < _NEGLIGIBLE:
            break
        total += term
    return total


@njit(cache=True)
def slopes(scale: float) -> tuple[float, float]:
    """e^{1/b} and e^{−1/b}: the term at n + 1 over that at n, beside the Poisson's own, below y and above it."""
    return math.exp(min(1.0 / scale, 700.0)), math.exp(-1.0 / scale)


@njit(cache=True)
def log_evidence(noisy: float, mean: float, scale: float) -> float:
    """ln E(y; μ)."""
    grow, shrink = slopes(scale)
    return log_evidence_given(noisy, mean, scale, grow, shrink)


@njit(cache=True)
def log_evidence_given(noisy: float, mean: float, scale: float, grow: float, shrink: float) -> float:
    """The same, with the two slopes of this scale."""
    above = mean * shrink
    if noisy <= 0.0 or noisy < above - 9.0 * math.sqrt(above) - 10.0:  # all n that count lie above y
        return noisy / scale - mean * (1.0 - shrink)
    below = mean * grow
    if noisy > below + 9.0 * math.sqrt(below) + 10.0:  # all n that count lie below y
        return -noisy / scale + mean * (grow - 1.0)
    if mean <= 0.0:
        return -noisy / scale
    mode = _mode(noisy, mean, scale, grow, shrink)
    peak = mode * math.log(mean) - math.lgamma(mode + 1.0) - mean - abs(noisy - mode) / scale
    return peak + math.log(_sum(noisy, mean, scale, mode, grow, shrink))


@njit(cache=True)
def log_evidence_of(
    noisy: Array, kinks: Array, theta: Array, rate: float, scale: float, grow: float, shrink: float, out: Array
) -> None:
    """Σ_j ln E(y_j; λ θ_j^(k)) of one cell for all states k at once.

    Where means are small, e^{μ + y/b} E = Σ_n c_n μⁿ with c_0 = 1 and `_up` for the ratios, whose factors at the kink
    `kinks` holds: no term is negative, and the logarithm is taken of products of such sums.
    """
    states = theta.shape[1]
    means, terms, sums, products = np.empty(states), np.empty(states), np.empty(states), np.ones(states)
    out[:] = 0.0
    held = 0
    for j in range(noisy.size):
        y, largest = noisy[j], 0.0
        for k in range(states):
            means[k] = rate * theta[j, k]
            largest = max(largest, means[k])
        if y <= 0.0:
            for k in range(states):
                out[k] += y / scale - means[k] * (1.0 - shrink)
            continue
        if largest * grow > _SERIES:
            for k in range(states):
                out[k] += log_evidence_given(y, means[k], scale, grow, shrink)
            continue
        terms[:] = 1.0
        sums[:] = 1.0
        n, last, step = 0, 1.0, 1.0
        while step > 0.5 or last > _NEGLIGIBLE:  # steps shrink, and the largest mean has the largest ones
            ratio = (grow if n + 1 <= y else shrink if n >= y else kinks[j]) / (n + 1.0)
            for k in range(states):
                terms[k] *= means[k] * ratio
                sums[k] += terms[k]
            step = largest * ratio
            last *= step
            n += 1
        for k in range(states):
            out[k] -= y / scale + means[k]
            products[k] *= sums[k]
        held += 1
        if held == _PRODUCT:
            for k in range(states):
                out[k] += math.log(products[k])
            products[:] = 1.0
            held = 0
    for k in range(states):
        out[k] += math.log(products[k])


@njit(cache=True, inline="always")
def draw_count(rng: np.random.Generator, noisy: float, mean: float, scale: float, grow: float, shrink: float) -> int:
    """One draw of n ∝ μⁿ/n! · e^{−|y−n|/b}, by inversion outwards from the mode."""
    if mean <= 0.0:
        return 0
    if noisy <= 0.0:
        return int(rng.poisson(mean * shrink))
    mode = _mode(noisy, mean, scale, grow, shrink)
    point = rng.random() * _sum(noisy, mean, scale, mode, grow, shrink) - 1.0
    higher, lower, drawn = mode, mode, mode
    up, down = 1.0, 1.0
    while point >= 0.0:
        up *= _up(higher, noisy, mean, scale, grow, shrink)
        higher += 1
        point -= up
        drawn = higher
        if point >= 0.0:
            if lower > 0:
                down /= _up(lower - 1, noisy, mean, scale, grow, shrink)
                lower -= 1
                point -= down
                drawn = lower
            elif up < _NEGLIGIBLE:  # what rounding has left over
                return mode
    return drawn


@njit(cache=True)
def chain(
    rng: np.random.Generator,
    noisy: Array,
    scale: float,
    share: int,
    trained: Booleans,
    held_out: Array,
    offsets: Integers,
    states: int,
    alpha: float,
    beta: float,
    iterations: int,
    burn_in: int,
) -> gibbs.Trace:
    """Run one chain on noisy counts; every sweep renews each `share`-th training cell. Otherwise as `gibbs.chain`."""
    regions, steps = trained.shape
    cells = np.flatnonzero(~trained.ravel())
    state = rng.integers(0, states, size=(regions, steps))
    transitions = gibbs.count_transitions(state, states)
    log_counts, log_rows = gibbs.log_tables(regions * steps + 2, states, alpha)
    latent = np.floor(np.maximum(noisy, 0.0) + 0.5)
    latent[cells] = 0.0
    outcomes = noisy.shape[1]
    log_theta = np.empty((outcomes, states))
    theta = np.empty((outcomes, states))
    likelihood = np.empty((regions * steps, states))
    totals = np.empty((states, outcomes))
    floors = np.zeros(offsets.size - 1)
    grow, shrink = slopes(scale)
    kinks = np.exp((2.0 * (noisy - np.floor(noisy)) - 1.0) / scale)
    kept = np.empty((iterations - burn_in, regions, steps), np.int8)
    log_joint = np.empty(iterations)
    mixture = np.empty((iterations - burn_in, cells.size))
    own = np.empty((iterations - burn_in, cells.size))
    for sweep in range(iterations):
        gibbs.sum_by_state(latent, trained, state, totals)
        gibbs.draw_emissions(rng, totals, offsets, beta, 1.0, floors, log_theta)
        np.exp(log_theta, theta)
        for cell in range(sweep % share, regions * steps, share):
            r, t = cell // steps, cell % steps
            if not trained[r, t]:
                continue
            rate = rng.standard_gamma(0.5 + latent[cell].sum()) / (offsets.size - 1)
            log_evidence_of(noisy[cell], kinks[cell], theta, rate, scale, grow, shrink, likelihood[cell])
            gibbs.draw_states(
                rng, state, transitions, trained, likelihood, 1.0, log_counts, log_rows, cell, cell + 1
            )  # fmt: skip
            for j in range(outcomes):
                latent[cell, j] = draw_count(rng, noisy[cell, j], rate * theta[j, state[r, t]], scale, grow, shrink)
        np.dot(latent, log_theta, likelihood)
        gibbs.draw_states(rng, state, transitions, trained, likelihood, 1.0, log_counts, log_rows, 0, regions * steps)
        log_joint[sweep] = gibbs.log_density(state, transitions, trained, likelihood, log_theta, alpha, beta)
        if sweep >= burn_in:
            kept[sweep - burn_in] = state
            gibbs.score(
                held_out, cells, log_theta, state, transitions, log_counts, log_rows,
                mixture[sweep - burn_in], own[sweep - burn_in],
            )  # fmt: skip
    return gibbs.Trace(kept, log_joint, mixture, own, log_theta)
