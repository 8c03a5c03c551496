"""The hidden Markov model's sampler in plain NumPy: what the compiled one is timed against.

The same mathematics as `dpsampling.event_logs.gibbs` at temperature 1 and without floors: θ given Z, then every z in
turn with the transitions integrated out, then the log-density and the scores of the held-out cells.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Trace(NamedTuple):
    """Kept sweeps first: states (S, regions, steps), scores (S, H); log_joint of every iteration."""

    states: Integers
    log_joint: Floats
    mixture: Floats
    own: Floats
    log_emissions: Floats


def chain(
    rng: np.random.Generator,
    emissions: Floats,
    sums: Floats,
    trained: NDArray[np.bool_],
    held_out: Floats,
    offsets: Integers,
    states: int,
    alpha: float,
    beta: float,
    iterations: int,
    burn_in: int,
) -> Trace:
    """Run one chain; the arguments are those of the compiled one."""
    regions, steps = trained.shape
    cells = np.argwhere(~trained)
    state = rng.integers(0, states, size=(regions, steps))
    transitions = np.zeros((states + 1, states), dtype=np.int64)  # the start row is the last
    np.add.at(transitions, (np.full(regions, states), state[:, 0]), 1)
    np.add.at(transitions, (state[:, :-1].ravel(), state[:, 1:].ravel()), 1)
    kept, log_joint, mixture, own = [], [], [], []
    log_theta = np.empty((sums.shape[1], states))
    for sweep in range(iterations):
        member = (state.ravel()[:, None] == np.arange(states)) & trained.ravel()[:, None]
        shapes = np.maximum(member.T.astype(float) @ sums, 0.0) + beta
        for first, end in pairwise(offsets):
            # A Gamma(a) is a Gamma(a + 1) times U^{1/a}: in logarithms small shapes keep their digits.
            part = shapes[:, first:end]
            logs = np.log(rng.standard_gamma(part + 1.0)) - rng.standard_exponential(part.shape) / part
            log_theta[first:end] = (logs - logsumexp(logs, axis=1, keepdims=True)).T
        likelihood = (emissions @ log_theta).reshape(regions, steps, states) * trained[:, :, None]
        for r in range(regions):
            for t in range(steps):
                _count(transitions, state, r, t, -1)
                logs = _log_transition(transitions, state, r, t, alpha) + likelihood[r, t]
                cumulated = np.cumsum(np.exp(logs - logs.max()))
                new = np.searchsorted(cumulated, rng.random() * cumulated[-1], side="right")
                state[r, t] = min(int(new), states - 1)
                _count(transitions, state, r, t, 1)
        density = np.take_along_axis(likelihood, state[:, :, None], axis=2).sum() + (beta - 1.0) * log_theta.sum()
        density += gammaln(transitions + alpha).sum() - gammaln(transitions.sum(axis=1) + states * alpha).sum()
        log_joint.append(density)
        if sweep < burn_in:
            continue
        kept.append(state.copy())
        scores = held_out @ log_theta
        here = np.empty(len(cells))
        for h, (r, t) in enumerate(cells):
            _count(transitions, state, r, t, -1)
            logs = _log_transition(transitions, state, r, t, alpha)
            _count(transitions, state, r, t, 1)
            here[h] = logsumexp(logs + scores[h]) - logsumexp(logs)
        mixture.append(here)
        own.append(scores[np.arange(len(cells)), state[~trained]])
    return Trace(np.array(kept), np.array(log_joint), np.array(mixture), np.array(own), log_theta)


def _count(transitions: Integers, state: Integers, r: int, t: int, by: int) -> None:
    """Add or remove the two transitions at one cell."""
    transitions[state[r, t - 1] if t > 0 else -1, state[r, t]] += by
    if t + 1 < state.shape[1]:
        transitions[state[r, t], state[r, t + 1]] += by


def _log_transition(transitions: Integers, state: Integers, r: int, t: int, alpha: float) -> Floats:
    """The transition factors of every state at a cell whose own two transitions are not counted."""
    states = transitions.shape[1]
    previous = state[r, t - 1] if t > 0 else states
    factors = transitions[previous] + alpha
    if t + 1 < state.shape[1]:
        following = state[r, t + 1]
        stays = np.arange(states) == previous
        returns = stays & (following == previous)
        rows = transitions[:-1].sum(axis=1) + stays + states * alpha
        factors = factors * (transitions[:-1, following] + returns + alpha) / rows
    return np.log(factors)
