r"""The posterior of the hidden Markov model behind noisy counts, with the true counts summed out, compiled.

The model is that of `latent`: of the noisy counts y the public knows the scale b of their noise, and

    Pr(y_{c,d,j} | z_c = k, λ_c, θ) ∝ E(y; μ),   μ = λ_c θ_j^(k,d),   E(y; μ) = Σ_n e^{−μ} μⁿ/n! · e^{−|y−n|/b},

with Pr(λ_c) ∝ λ_c^{s−1} e^{−rλ_c}. There the counts n are drawn as well, and emissions move as little as counts that
are nearly fixed by them allow: some hundred sweeps from one independent draw to the next where noise is wide. Here a
sweep is

    z | λ, θ, y    each cell in turn by (48) of `gibbs`, with Σ_j ln E for its likelihood
    r | λ          Gamma, if r is not known but exponential
    λ | z, θ, y, r a step of a random walk in ln λ_c
    θ | z, λ, y    for each state a step of Hamiltonian Monte Carlo in w = ln g, θ_j = g_j / Σ g with g_j ~ Gamma(β)

with ∂ ln E/∂μ = E(y − 1; μ)/E(y; μ) − 1. Masses, and the widths of random walks, are the curvature at a point of
reference, Σ μ²/(μ + b²) and the prior's; the step's length is found during burn-in, and both stay fixed after it.
Emissions of a state that no cell is in are drawn from their prior.

For each y, ln E is one function of √μ: between the nodes of a grid it is Hermite's cubic, beyond them it is computed.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpsampling.event_logs import gammas, gibbs, latent, truncated
from dpsampling.event_logs.kernel_cache import drop_stale
from dpsampling.numerics.arrays import Array, Booleans, Integers

drop_stale(__file__, [gammas.__file__, gibbs.__file__, latent.__file__, truncated.__file__])


FINENESS = 12.0  # intervals in √μ from 0 to 1: the cubics are off by less than 10⁻⁵
NARROWEST = 1.0  # scale of noise, below which ln E bends too sharply for the grid
MOST_CUBICS = 4_000_000
LEAPS = 4  # of a Hamiltonian step
WALKS = 1  # steps of the random walks of a sweep
AIM = 0.8  # share of Hamiltonian steps that are accepted


class Grid(NamedTuple):
    """ln E of every noisy count that occurs: cubics in √μ on the intervals of a window."""

    origin: Integers  # (C, J): where in `cubics` the interval that begins at √μ = 0 is, or would be
    lowest: Integers  # (C, J): the first interval of the window
    end: Integers  # (C, J): that after the last; windows of counts without cubics are empty
    cubics: Array  # (all, 4): coefficients of powers of the place in the interval, from 0 to 1


class Kept(NamedTuple):
    """S kept sweeps."""

    states: NDArray[np.int8]  # (S, regions, steps)
    emissions: Array  # (S, K, J)
    rates: Array  # (S, C)
    log_joint: Array  # (S,)  ln Pr(y, λ, θ, z), up to a constant
    held_out: Array  # (S, H)  ln Σ_k Pr(z_h = k | other z) Pr(y_h | k, λ_h, θ)
    accepted: float  # share of Hamiltonian steps


class Place(NamedTuple):
    """Where a chain is and how it moves: arrays that `sweeps` changes."""

    state: Integers  # (regions, steps)
    log_rates: Array  # (C,)  u; of held-out cells it is given and stays
    log_weights: Array  # (K, J)  w
    reference_rates: Array  # where the masses are taken
    reference_weights: Array
    tuning: Array  # ln step, its running mean, the running excess of refusals, steps so far


def grid(noisy: Array, scale: float) -> Grid:
    """The grid of all noisy counts; those at or below 0 need none, and the largest do without if they are many."""
    values, inverse = np.unique(noisy, return_inverse=True)
    inverse = inverse.reshape(noisy.shape)
    grow, shrink = latent.slopes(scale)
    y = np.maximum(values, 0.0)
    # Beyond these √μ all n that count lie on one side of y, and ln E is a straight line in μ.
    low = np.where(y < 400.0, 0.0, (np.sqrt(y + 12.0) - 5.0) / math.sqrt(grow))
    high = (np.sqrt(y + 12.0) + 9.0) / math.sqrt(shrink)
    lowest: Integers = np.floor(low * FINENESS).astype(np.int64)
    end: Integers = np.where((values > 0.0) & (scale >= NARROWEST), np.ceil(high * FINENESS).astype(np.int64), lowest)
    last = np.cumsum(end - lowest)
    end = np.where(last <= MOST_CUBICS, end, lowest)
    first = np.cumsum(end - lowest) - (end - lowest)
    cubics = np.empty((int((end - lowest).sum()), 4))
    _fill(values, first, lowest, end, scale, cubics)
    return Grid((first - lowest)[inverse], lowest[inverse], end[inverse], cubics)


@njit(cache=True)
def _fill(values: Array, first: Integers, lowest: Integers, end: Integers, scale: float, cubics: Array) -> None:
    """Hermite's cubics, which have the values and slopes of ln E at both ends."""
    grow, shrink = latent.slopes(scale)
    for v in range(values.size):
        if end[v] == lowest[v]:
            continue
        p, m = _node(values[v], lowest[v], scale, grow, shrink)
        for i in range(end[v] - lowest[v]):
            q, n = _node(values[v], lowest[v] + i + 1, scale, grow, shrink)
            row = cubics[first[v] + i]
            row[0], row[1], row[2], row[3] = p, m, 3.0 * (q - p) - 2.0 * m - n, m + n - 2.0 * (q - p)
            p, m = q, n


@njit(cache=True)
def _node(noisy: float, place: int, scale: float, grow: float, shrink: float) -> tuple[float, float]:
    """ln E and its slope at one end of an interval, an interval's length being 1."""
    root = place / FINENESS
    value, slope = _computed(noisy, root * root, scale, grow, shrink)
    return value, slope * 2.0 * root / FINENESS


@njit(cache=True)
def _computed(noisy: float, mean: float, scale: float, grow: float, shrink: float) -> tuple[float, float]:
    """ln E and ∂ ln E/∂μ."""
    value = latent.log_evidence_given(noisy, mean, scale, grow, shrink)
    return value, math.exp(latent.log_evidence_given(noisy - 1.0, mean, scale, grow, shrink) - value) - 1.0


@njit(cache=True, inline="always")
def _log_evidence(
    noisy: float,
    root: float,
    scale: float,
    grow: float,
    shrink: float,
    origin: int,
    lowest: int,
    end: int,
    cubics: Array,
) -> tuple[float, float]:
    """ln E and μ · ∂ ln E/∂μ at √μ, by the grid where there is one."""
    if noisy <= 0.0:
        line = root * root * (1.0 - shrink)
        return noisy / scale - line, -line
    place = min(root * FINENESS, 1e15)
    below = int(place)
    if lowest <= below < end:
        t = place - below
        i = origin + below
        bend, twist = cubics[i, 2], cubics[i, 3]
        value = cubics[i, 0] + t * (cubics[i, 1] + t * (bend + t * twist))
        return value, 0.5 * place * (cubics[i, 1] + t * (2.0 * bend + 3.0 * t * twist))
    value, slope = _computed(noisy, root * root, scale, grow, shrink)
    return value, root * root * slope


@njit(cache=True)
def _emissions(log_weights: Array, offsets: Integers, theta: Array) -> None:
    """θ of w, feature by feature."""
    for k in range(log_weights.shape[0]):
        for d in range(offsets.size - 1):
            highest = -np.inf
            for j in range(offsets[d], offsets[d + 1]):
                highest = max(highest, log_weights[k, j])
            total = 0.0
            for j in range(offsets[d], offsets[d + 1]):
                theta[k, j] = math.exp(log_weights[k, j] - highest)
                total += theta[k, j]
            for j in range(offsets[d], offsets[d + 1]):
                theta[k, j] /= total


@njit(cache=True)
def likelihoods(noisy: Array, scale: float, table: Grid, log_rates: Array, theta: Array, out: Array) -> None:
    """Σ_j ln E of every cell in every state, (C, K)."""
    origin, lowest, end, cubics = table
    grow, shrink = latent.slopes(scale)
    roots = np.sqrt(theta)
    for c in range(noisy.shape[0]):
        root = math.exp(0.5 * log_rates[c])
        for k in range(theta.shape[0]):
            total = 0.0
            for j in range(noisy.shape[1]):
                total += _log_evidence(
                    noisy[c, j], root * roots[k, j], scale, grow, shrink,
                    origin[c, j], lowest[c, j], end[c, j], cubics,
                )[0]  # fmt: skip
            out[c, k] = total


@njit(cache=True)
def _draw_rates(
    rng: np.random.Generator,
    noisy: Array,
    scale: float,
    table: Grid,
    trained: Booleans,
    state: Integers,
    shape: float,
    rate: float,
    reference: Array,
    log_rates: Array,
    theta: Array,
) -> None:
    """A step of a random walk for every λ_c, as wide as its posterior about is at the point of reference."""
    origin, lowest, end, cubics = table
    grow, shrink = latent.slopes(scale)
    steps = state.shape[1]
    roots = np.sqrt(theta)
    for c in range(noisy.shape[0]):
        if not trained[c // steps, c % steps]:
            continue
        k = state[c // steps, c % steps]
        mass = shape
        for j in range(noisy.shape[1]):
            mean = math.exp(reference[c]) * theta[k, j]
            mass += mean * mean / (mean + scale * scale)
        proposed = log_rates[c] + 2.4 / math.sqrt(mass) * rng.standard_normal()
        new, old = math.exp(0.5 * min(proposed, 600.0)), math.exp(0.5 * log_rates[c])
        gain = shape * (proposed - log_rates[c]) - rate * (new * new - old * old)
        for j in range(noisy.shape[1]):
            y, i, low, over = noisy[c, j], origin[c, j], lowest[c, j], end[c, j]
            gain += _log_evidence(y, new * roots[k, j], scale, grow, shrink, i, low, over, cubics)[0]
            gain -= _log_evidence(y, old * roots[k, j], scale, grow, shrink, i, low, over, cubics)[0]
        if rng.random() < math.exp(min(0.0, gain)):
            log_rates[c] = proposed


@njit(cache=True)
def density(
    noisy: Array,
    scale: float,
    table: Grid,
    trained: Booleans,
    offsets: Integers,
    state: Integers,
    beta: float,
    log_rates: Array,
    log_weights: Array,
    theta: Array,
    slopes: Array,
    out: Array,
) -> None:
    """The log-density of each state's w given λ, z and y, up to a constant, and its gradient; and θ of w."""
    origin, lowest, end, cubics = table
    grow, shrink = latent.slopes(scale)
    steps = state.shape[1]
    _emissions(log_weights, offsets, theta)
    roots = np.sqrt(theta)
    slopes[:] = 0.0
    out[:] = 0.0
    for c in range(noisy.shape[0]):
        if not trained[c // steps, c % steps]:
            continue
        k = state[c // steps, c % steps]
        root = math.exp(0.5 * log_rates[c])
        total = 0.0
        for j in range(noisy.shape[1]):
            value, slope = _log_evidence(
                noisy[c, j], root * roots[k, j], scale, grow, shrink,
                origin[c, j], lowest[c, j], end[c, j], cubics,
            )  # fmt: skip
            total += value
            slopes[k, j] += slope
        out[k] += total
    for k in range(theta.shape[0]):
        for d in range(offsets.size - 1):
            pull = 0.0
            for j in range(offsets[d], offsets[d + 1]):
                pull += slopes[k, j]
            for j in range(offsets[d], offsets[d + 1]):
                weight = math.exp(log_weights[k, j])
                slopes[k, j] += beta - weight - theta[k, j] * pull
                out[k] += beta * log_weights[k, j] - weight


@njit(cache=True)
def _masses(
    scale: float, trained: Booleans, state: Integers, beta: float, log_rates: Array, theta: Array, mass: Array
) -> None:
    """About the curvature in w, given λ and z, with the emissions of reference."""
    steps = state.shape[1]
    mass[:] = beta
    for c in range(log_rates.size):
        if not trained[c // steps, c % steps]:
            continue
        k = state[c // steps, c % steps]
        rate = math.exp(log_rates[c])
        for j in range(theta.shape[1]):
            mean = rate * theta[k, j]
            mass[k, j] += mean * mean / (mean + scale * scale) * (1.0 - theta[k, j])


@njit(cache=True)
def _draw_weights(
    rng: np.random.Generator,
    noisy: Array,
    scale: float,
    table: Grid,
    trained: Booleans,
    offsets: Integers,
    state: Integers,
    beta: float,
    place: Place,
    theta: Array,
    mass: Array,
) -> float:
    """A Hamiltonian step for the w of each state by itself; how probable it was to be accepted."""
    u, w = place.log_rates, place.log_weights
    states, outcomes = w.shape
    before, after = np.empty(states), np.empty(states)
    new, slopes = w.copy(), np.empty((states, outcomes))
    density(noisy, scale, table, trained, offsets, state, beta, u, w, theta, slopes, before)
    step = math.exp(place.tuning[0]) * (0.8 + 0.4 * rng.random())
    push = np.empty((states, outcomes))
    for k in range(states):
        for j in range(outcomes):
            push[k, j] = rng.standard_normal() * math.sqrt(mass[k, j])
            before[k] -= 0.5 * push[k, j] ** 2 / mass[k, j]
    for _ in range(LEAPS):
        push += 0.5 * step * slopes
        new += step * push / mass
        np.minimum(new, 300.0, new)  # far beyond what is accepted
        density(noisy, scale, table, trained, offsets, state, beta, u, new, theta, slopes, after)
        push += 0.5 * step * slopes
    chances = 0.0
    for k in range(states):
        for j in range(outcomes):
            after[k] -= 0.5 * push[k, j] ** 2 / mass[k, j]
        gain = after[k] - before[k]
        chance = math.exp(min(0.0, gain)) if gain > -700.0 else 0.0  # what is no number is refused
        if rng.random() < chance:
            w[k] = new[k]
        chances += chance
    return chances / states


@njit(cache=True)
def _score(
    likelihood: Array,
    trained: Booleans,
    state: Integers,
    transitions: Integers,
    log_counts: Array,
    log_rows: Array,
    out: Array,
) -> None:
    """ln Σ_k Pr(z_h = k | other z) Pr(y_h | k) of every held-out cell."""
    steps, states = state.shape[1], transitions.shape[1]
    leaving = transitions.sum(axis=1)
    prior, joint = np.empty(states), np.empty(states)
    h = 0
    for c in range(likelihood.shape[0]):
        r, t = c // steps, c % steps
        if trained[r, t]:
            continue
        previous = state[r, t - 1] if t > 0 else states
        following = state[r, t + 1] if t + 1 < steps else -1
        gibbs.move(transitions, leaving, previous, state[r, t], following, -1)
        gibbs.log_transition(previous, following, transitions, leaving, log_counts, log_rows, prior)
        gibbs.move(transitions, leaving, previous, state[r, t], following, 1)
        for k in range(states):
            joint[k] = prior[k] + likelihood[c, k]
        out[h] = gibbs.log_sum(joint) - gibbs.log_sum(prior)
        h += 1


@njit(cache=True, nogil=True)
def sweeps(
    rng: np.random.Generator,
    noisy: Array,
    scale: float,
    table: Grid,
    trained: Booleans,
    offsets: Integers,
    alpha: float,
    beta: float,
    shape: float,
    rate: float,
    known: bool,
    place: Place,
    many: int,
    thin: int,
    tune: bool,
) -> Kept:
    """`many` sweeps from `place` on, of which each `thin`-th is kept; to `tune` is for a burn-in."""
    regions, steps = trained.shape
    cells = regions * steps
    states, outcomes = place.log_weights.shape
    state, u, w = place.state, place.log_rates, place.log_weights
    transitions = gibbs.count_transitions(state, states)
    log_counts, log_rows = gibbs.log_tables(cells + 2, states, alpha)
    theta, reference = np.empty((states, outcomes)), np.empty((states, outcomes))
    likelihood = np.empty((cells, states))
    occupied = np.empty(states, np.int64)
    mass = np.empty((states, outcomes))
    size = many // thin
    kept_states = np.empty((size, regions, steps), np.int8)
    kept_emissions = np.empty((size, states, outcomes))
    kept_rates = np.empty((size, cells))
    log_joint = np.empty(size)
    held_out = np.empty((size, cells - int(trained.sum())))
    accepted = 0.0
    current = rate
    _emissions(w, offsets, theta)
    likelihoods(noisy, scale, table, u, theta, likelihood)
    for sweep in range(many):
        gibbs.draw_states(rng, state, transitions, trained, likelihood, 1.0, log_counts, log_rows, 0, cells)
        occupied[:] = 0
        for c in range(cells):
            if trained[c // steps, c % steps]:
                occupied[state[c // steps, c % steps]] += 1
        for k in range(states):
            if occupied[k] == 0:
                for j in range(outcomes):  # small shapes keep their digits as logarithms
                    w[k, j] = math.log(rng.standard_gamma(beta + 1.0)) - rng.standard_exponential() / beta

        _emissions(w, offsets, theta)
        if not known:
            total, seen = 0.0, 0  # r is exponential itself, of mean `rate`
            for c in range(cells):
                if trained[c // steps, c % steps]:
                    total += math.exp(u[c])
                    seen += 1
            current = rng.standard_gamma(1.0 + shape * seen) / (1.0 / rate + total)
        for _ in range(WALKS):
            _draw_rates(
                rng, noisy, scale, table, trained, state, shape, current, place.reference_rates, u, theta
            )  # fmt: skip
        _emissions(place.reference_weights, offsets, reference)
        _masses(scale, trained, state, beta, u, reference, mass)
        chance = _draw_weights(rng, noisy, scale, table, trained, offsets, state, beta, place, theta, mass)
        accepted += chance
        if tune:
            _tune(place, chance)
        _emissions(w, offsets, theta)
        likelihoods(noisy, scale, table, u, theta, likelihood)
        if sweep % thin == thin - 1:
            i = sweep // thin
            kept_states[i] = state
            kept_emissions[i] = theta
            kept_rates[i] = np.exp(u)
            log_joint[i] = gibbs.log_density(
                state, transitions, trained, likelihood, np.log(np.maximum(theta, 1e-300)), alpha, beta
            )  # fmt: skip
            if not known:
                log_joint[i] -= current / rate
            for c in range(cells):
                if trained[c // steps, c % steps]:
                    log_joint[i] += shape * math.log(current) + (shape - 1.0) * u[c] - current * kept_rates[i, c]
            _score(likelihood, trained, state, transitions, log_counts, log_rows, held_out[i])
    if tune:
        place.tuning[0] = place.tuning[1]
    return Kept(kept_states, kept_emissions, kept_rates, log_joint, held_out, accepted / max(many, 1))


@njit(cache=True)
def _tune(place: Place, chance: float) -> None:
    """Nesterov's dual averaging of the step's logarithm (Hoffman and Gelman 2014, section 3.2), and the reference."""
    tuning = place.tuning
    tuning[3] += 1.0
    t = tuning[3]
    tuning[2] += (AIM - chance - tuning[2]) / (t + 10.0)
    tuning[0] = math.log(0.5) - math.sqrt(t) / 0.05 * tuning[2]
    share = t**-0.75
    tuning[1] += share * (tuning[0] - tuning[1])
    place.reference_rates[:] += 0.1 * (place.log_rates - place.reference_rates)
    place.reference_weights[:] += 0.1 * (place.log_weights - place.reference_weights)
