"""The Gibbs sampler of the hidden Markov model, compiled.

Thesis §4.5 and UAI 2016's supplement E: for regions r and timesteps t,

    A_k ~ Dirichlet(α),   θ^(k,d) ~ Dirichlet(β),   z_{r,t} ~ A_{z_{r,t−1}},   x ~ Discrete(θ^(z_{r,t},d))

for each entry, with a start row A_0, the transitions integrated out, and everything known through counts n_{r,t,d,j}.
Given all other states, with transition counts c and row sums s that leave out the two transitions at (r, t), p before
it and q after,

    Pr(z_{r,t} = k | ·) ∝ (c[p,k] + α) · (c[k,q] + 1[p = k = q] + α) / (s[k] + 1[p = k] + Kα) · Π_{d,j} (θ_j^(k,d))^n

which is (48) with its second denominator mended: it belongs to z_{r,t}, not to z_{r,t−1}. The first step has the start
row for p and no indicators; the last step only the first factor; a held-out cell has no emission factor. And

    θ^(k,d) | · ~ Dirichlet(n_{k,d} + β)                                                                            (49)

with n summed over the training cells in state k. A `power` 1/T < 1 tempers the joint density, and so both conditionals:
θ ~ Dirichlet((n + β − 1)/T + 1), kept above `floors` if there are any, and the whole of (48) to the power 1/T.

Counts may be noisy, and then they are any real numbers. Sums for θ are clipped at 0.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpsampling.event_logs import gammas, truncated
from dpsampling.event_logs.kernel_cache import drop_stale
from dpsampling.numerics.arrays import Array, Booleans, Integers

drop_stale(__file__, [gammas.__file__, truncated.__file__])


_LARGEST = 1e290  # of counts, so that their sums are finite
_NEGLIGIBLE = -45.0  # ln of a weight over the highest, below which a uniform number of 53 bits does not meet it


class Trace(NamedTuple):
    """What a chain leaves behind; S kept sweeps, H held-out cells."""

    states: NDArray[np.int8]  # (S, regions, steps)
    log_joint: Array  # (iterations,)  ln Pr(X, θ, Z) of the untempered model, up to a constant
    mixture: Array  # (S, H)  ln Σ_k Pr(z_h = k | other z) Pr(X_h | k, θ)
    own: Array  # (S, H)  ln Pr(X_h | z_h, θ)
    log_emissions: Array  # (J, K)  ln θ of the last sweep


@njit(cache=True)
def chain(
    rng: np.random.Generator,
    emissions: Array,
    sums: Array,
    trained: Booleans,
    held_out: Array,
    offsets: Integers,
    states: int,
    alpha: float,
    beta: float,
    power: float,
    floors: Array,
    iterations: int,
    burn_in: int,
) -> Trace:
    """Run one chain.

    `emissions` holds the counts of all cells (region by region) that (48) sees and `sums` those that (49) adds up;
    they differ where only one of them is clipped. `trained` (regions × steps) marks the cells that have any. The rows
    of `held_out` are the true counts of the other cells, in order: they are scored and never touch the chain.
    """
    regions, steps = trained.shape
    cells = np.flatnonzero(~trained.ravel())
    state = rng.integers(0, states, size=(regions, steps))
    transitions = count_transitions(state, states)
    log_counts, log_rows = log_tables(regions * steps + 2, states, alpha)
    seen = np.flatnonzero(np.abs(emissions).sum(axis=0))  # outcomes that no cell has say nothing of states
    emissions = emissions[:, seen]
    log_theta = np.empty((sums.shape[1], states))
    likelihood = np.empty((regions * steps, states))
    sums = summable(sums)
    totals = np.empty((states, sums.shape[1]))
    sum_by_state(sums, trained, state, totals)
    before = state.copy()
    kept = np.empty((iterations - burn_in, regions, steps), np.int8)
    log_joint = np.empty(iterations)
    mixture = np.empty((iterations - burn_in, cells.size))
    own = np.empty((iterations - burn_in, cells.size))
    for sweep in range(iterations):
        _carry_over(sums, trained, before, state, totals)
        draw_emissions(rng, totals, offsets, beta, power, floors, log_theta)
        np.dot(emissions, log_theta[seen], likelihood)  # ln Pr(X | k, θ) of every cell and state: (51)
        draw_states(rng, state, transitions, trained, likelihood, power, log_counts, log_rows, 0, regions * steps)
        log_joint[sweep] = log_density(state, transitions, trained, likelihood, log_theta, alpha, beta)
        if sweep >= burn_in:
            kept[sweep - burn_in] = state
            score(
                held_out, cells, log_theta, state, transitions, log_counts, log_rows,
                mixture[sweep - burn_in], own[sweep - burn_in],
            )  # fmt: skip
    return Trace(kept, log_joint, mixture, own, log_theta)


@njit(cache=True)
def naive_bayes(
    rng: np.random.Generator,
    totals: Array,
    held_out: Array,
    offsets: Integers,
    beta: float,
    power: float,
    floors: Array,
    draws: int,
) -> tuple[Array, Array]:
    """The model of one state: independent draws of θ given corpus-wide counts (1, J), scored on each held-out cell."""
    log_theta = np.empty((totals.shape[1], 1))
    own = np.empty((draws, held_out.shape[0]))
    for s in range(draws):
        draw_emissions(rng, totals, offsets, beta, power, floors, log_theta)
        own[s] = np.dot(held_out, log_theta)[:, 0]
    return own, log_theta


@njit(cache=True)
def count_transitions(state: Integers, states: int) -> Integers:
    """c[p, k]; the start row is the last."""
    transitions = np.zeros((states + 1, states), np.int64)
    for r in range(state.shape[0]):
        previous = states
        for t in range(state.shape[1]):
            transitions[previous, state[r, t]] += 1
            previous = state[r, t]
    return transitions


@njit(cache=True)
def log_tables(size: int, states: int, alpha: float) -> tuple[Array, Array]:
    """ln(c + α) and ln(c + Kα) for c = 0, 1, …"""
    log_counts, log_rows = np.empty(size), np.empty(size)
    for c in range(size):
        log_counts[c] = math.log(c + alpha)
        log_rows[c] = math.log(c + states * alpha)
    return log_counts, log_rows


@njit(cache=True)
def sum_by_state(sums: Array, trained: Booleans, state: Integers, totals: Array) -> None:
    """n_{k,·}: the training cells' counts, added up by state."""
    steps = state.shape[1]
    totals[:] = 0.0
    for cell in range(sums.shape[0]):
        r, t = cell // steps, cell % steps
        if trained[r, t]:
            row = totals[state[r, t]]
            for j in range(sums.shape[1]):
                row[j] += sums[cell, j]


@njit(cache=True)
def summable(counts: Array) -> Array:
    """Counts as multiples of a power of 2, of which doubles hold every sum exactly: whole numbers stay what they are.

    So sums can be kept up to date cell by cell, and it does not matter in what order.
    """
    finite = np.clip(counts, -_LARGEST, _LARGEST)
    unit = 2.0 ** (math.ceil(math.log2(max(np.abs(finite).sum(), 1.0))) - 52)
    return np.rint(finite / unit) * unit


@njit(cache=True)
def _carry_over(sums: Array, trained: Booleans, before: Integers, state: Integers, totals: Array) -> None:
    """The same where `totals` are those of the states `before`, which become the present ones: few cells moved."""
    steps = state.shape[1]
    for cell in range(sums.shape[0]):
        r, t = cell // steps, cell % steps
        left, entered = before[r, t], state[r, t]
        before[r, t] = entered
        if trained[r, t] and left != entered:
            for j in range(sums.shape[1]):
                totals[left, j] -= sums[cell, j]
                totals[entered, j] += sums[cell, j]


@njit(cache=True)
def draw_emissions(
    rng: np.random.Generator,
    totals: Array,
    offsets: Integers,
    beta: float,
    power: float,
    floors: Array,
    log_theta: Array,
) -> None:
    """(49), tempered and kept above the floors, as logarithms."""
    shapes = np.empty(totals.shape[1])
    draws = np.empty(totals.shape[1])
    kinds = np.empty(totals.shape[1], np.int8)
    for k in range(totals.shape[0]):
        for j in range(totals.shape[1]):
            shapes[j] = (max(totals[k, j], 0.0) + beta - 1.0) * power + 1.0
        _draw_dirichlets(rng, shapes, offsets, floors, draws, k, log_theta)
        for d in range(offsets.size - 1):
            first, end = offsets[d], offsets[d + 1]
            if floors[d] > 0.0:
                truncated.draw(rng, shapes[first:end], floors[d], kinds[first:end], draws[first:end])
                for j in range(first, end):
                    log_theta[j, k] = math.log(draws[j])


@njit(cache=True)
def _draw_dirichlets(
    rng: np.random.Generator, shapes: Array, offsets: Integers, floors: Array, draws: Array, k: int, log_theta: Array
) -> None:
    """The logarithms of one state's emissions of all features without a floor; `draws` is scratch."""
    for d in range(offsets.size - 1):
        first, end = offsets[d], offsets[d + 1]
        if floors[d] > 0.0:
            continue
        for j in range(first, end):
            draws[j] = gammas.standard_gamma(rng, shapes[j] if shapes[j] >= 1.0 else shapes[j] + 1.0)
        for j in range(first, end):
            log_theta[j, k] = math.log(draws[j])
        total = 0.0
        for j in range(first, end):
            if shapes[j] < 1.0:  # a small shape keeps its digits where the draw itself would underflow
                log_theta[j, k] -= rng.standard_exponential() / shapes[j]
                draws[j] = math.exp(log_theta[j, k])
            total += draws[j]
        log_total = math.log(total) if total > 1e-290 else log_sum(log_theta[first:end, k])
        for j in range(first, end):
            log_theta[j, k] -= log_total


@njit(cache=True, inline="always")
def log_transition(
    previous: int,
    following: int,
    transitions: Integers,
    leaving: Integers,
    log_counts: Array,
    log_rows: Array,
    out: Array,
) -> None:
    """The two transition factors of (48), with `following` −1 at the last step."""
    for k in range(out.size):
        out[k] = log_counts[transitions[previous, k]]
        if following >= 0:
            stays = 1 if previous == k else 0
            returns = 1 if stays and following == k else 0
            out[k] += log_counts[transitions[k, following] + returns] - log_rows[leaving[k] + stays]


@njit(cache=True)
def draw_states(
    rng: np.random.Generator,
    state: Integers,
    transitions: Integers,
    trained: Booleans,
    likelihood: Array,
    power: float,
    log_counts: Array,
    log_rows: Array,
    first: int,
    end: int,
) -> None:
    """(48), tempered, for one cell after another; `state` and `transitions` change.

    The logarithms that (48) adds up stand ready by rows and by columns. In one piece, for Numba counts references to
    arrays wherever a function is called, which costs more than a cell.
    """
    steps, states = state.shape[1], transitions.shape[1]
    leaving = transitions.sum(axis=1)
    out_of, into, rows = np.empty((states + 1, states)), np.empty((states, states + 1)), np.empty(states + 1)
    for p in range(states + 1):
        rows[p] = log_rows[leaving[p]]
        for k in range(states):
            out_of[p, k] = into[k, p] = log_counts[transitions[p, k]]
    weights = np.empty(states)
    for cell in range(first, end):
        r, t = cell // steps, cell % steps
        old = state[r, t]
        p = state[r, t - 1] if t > 0 else states
        q = state[r, t + 1] if t + 1 < steps else -1
        transitions[p, old] -= 1
        out_of[p, old] = into[old, p] = log_counts[transitions[p, old]]
        leaving[p] -= 1
        rows[p] = log_rows[leaving[p]]
        if q >= 0:
            transitions[old, q] -= 1
            out_of[old, q] = into[q, old] = log_counts[transitions[old, q]]
            leaving[old] -= 1
            rows[old] = log_rows[leaving[old]]
            for k in range(states):
                weights[k] = out_of[p, k] + (into[q, k] - rows[k])
            if p < states:  # the indicators
                returns = 1 if q == p else 0
                weights[p] = out_of[p, p] + (log_counts[transitions[p, q] + returns] - log_rows[leaving[p] + 1])
        else:
            for k in range(states):
                weights[k] = out_of[p, k]
        highest = -np.inf
        for k in range(states):
            if trained[r, t]:
                weights[k] += likelihood[cell, k]
            highest = max(highest, weights[k])
        total = 0.0
        for k in range(states):
            gap = power * (weights[k] - highest)
            if gap > _NEGLIGIBLE:
                total += math.exp(gap)
            weights[k] = total
        point = rng.random() * total
        new = 0
        while weights[new] <= point and new < states - 1:
            new += 1
        state[r, t] = new
        transitions[p, new] += 1
        out_of[p, new] = into[new, p] = log_counts[transitions[p, new]]
        leaving[p] += 1
        rows[p] = log_rows[leaving[p]]
        if q >= 0:
            transitions[new, q] += 1
            out_of[new, q] = into[q, new] = log_counts[transitions[new, q]]
            leaving[new] += 1
            rows[new] = log_rows[leaving[new]]


@njit(cache=True, inline="always")
def move(transitions: Integers, leaving: Integers, previous: int, k: int, following: int, by: int) -> None:
    """Add or remove the two transitions at one cell."""
    transitions[previous, k] += by
    leaving[previous] += by
    if following >= 0:
        transitions[k, following] += by
        leaving[k] += by


@njit(cache=True)
def score(
    held_out: Array,
    cells: Integers,
    log_theta: Array,
    state: Integers,
    transitions: Integers,
    log_counts: Array,
    log_rows: Array,
    mixture: Array,
    own: Array,
) -> None:
    """ln Σ_k Pr(z_h = k | other z) Pr(X_h | k, θ) and ln Pr(X_h | z_h, θ) of every held-out cell."""
    steps = state.shape[1]
    states = transitions.shape[1]
    likelihood = np.dot(held_out, log_theta)
    leaving = transitions.sum(axis=1)
    prior = np.empty(states)
    joint = np.empty(states)
    for h in range(cells.size):
        r, t = cells[h] // steps, cells[h] % steps
        previous = state[r, t - 1] if t > 0 else states
        following = state[r, t + 1] if t + 1 < steps else -1
        move(transitions, leaving, previous, state[r, t], following, -1)
        log_transition(previous, following, transitions, leaving, log_counts, log_rows, prior)
        move(transitions, leaving, previous, state[r, t], following, 1)
        for k in range(states):
            joint[k] = prior[k] + likelihood[h, k]
        mixture[h] = log_sum(joint) - log_sum(prior)
        own[h] = likelihood[h, state[r, t]]


@njit(cache=True)
def log_sum(logs: Array) -> float:
    """ln Σ e^x."""
    highest = logs.max()
    total = 0.0
    for k in range(logs.size):
        total += math.exp(logs[k] - highest)
    return float(highest + math.log(total))


@njit(cache=True)
def log_density(
    state: Integers,
    transitions: Integers,
    trained: Booleans,
    likelihood: Array,
    log_theta: Array,
    alpha: float,
    beta: float,
) -> float:
    """ln Pr(X, θ, Z) with the transitions integrated out, up to a constant: what a chain's trace is judged by."""
    steps = state.shape[1]
    rows, states = transitions.shape
    total = 0.0
    for r in range(state.shape[0]):
        for t in range(steps):
            if trained[r, t]:
                total += likelihood[r * steps + t, state[r, t]]
    for p in range(rows):
        leaving = 0
        for k in range(states):
            leaving += transitions[p, k]
            total += math.lgamma(transitions[p, k] + alpha)
        total -= math.lgamma(leaving + states * alpha)
    if beta != 1.0:
        total += (beta - 1.0) * log_theta.sum()
    return total
