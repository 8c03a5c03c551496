"""The posterior of a hidden Markov model behind noisy counts, by several chains: labels matched, modes told apart.

States have no names, and each chain numbers them as it likes, even anew on its way. Every kept sweep is renumbered
so that as many cells as can be are in the same state as in the pivot, the kept sweep of the highest joint density
(Papastamoulis and Iliopoulos 2010). Chains from different starts may end in different modes. Those are kept whose joint
densities are as high as the best chain's; whether the rest were left out is part of the answer.

Chains are as long as `AIM` effective draws of every shown parameter ask for, or as `MOST` terms of likelihoods allow.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpsampling.numerics.arrays import Array, Booleans, Integers
from dpsampling.numerics.diagnostics import effective_size, split_r_hat

if TYPE_CHECKING:
    from dpsampling.event_logs.summed_out import Grid, Kept, Place


CHAINS = 4
AIM = 100.0  # effective draws of everything that is shown
BLOCK = 250  # kept sweeps of a chain before it is asked whether they are enough
BURN_IN = 80
PATIENCE = 2  # times as many for chains that disagree
MOST = 2e8  # terms ln E that all chains may compute, about a minute
HELD = 30_000_000  # numbers of kept emissions and rates
SHORTEST = 40  # kept sweeps, whatever they cost
APART = 3.0  # standard deviations of the joint density, beyond which a chain is in another mode
BROADEST, NARROWEST = 0.5, 10.0  # shapes of the rates' prior: spread 140% and 30% of the mean
CONVERGED = 1.1  # R̂
TRIED = 5  # states of which all orders are tried

Say = Callable[[str], None]


@dataclass(frozen=True)
class Prior:
    """Dirichlet(α) transitions, Dirichlet(β) emissions, Gamma(shape, rate) for a cell's expected events."""

    alpha: float = 1.0
    beta: float = 1.0
    shape: float = 0.5
    rate: float = 1.0
    known: bool = True  # the rate; else it is exponential of this mean


@dataclass(frozen=True)
class Noisy:
    """Noisy counts of regions × months, and all that is public about them."""

    counts: Array  # (C, J)
    scale: float
    regions: int
    sizes: tuple[int, ...]

    @property
    def steps(self) -> int:
        """How many months."""
        return int(self.counts.shape[0]) // self.regions

    @property
    def offsets(self) -> Integers:
        """Where each feature's outcomes begin among all J, and J at the end."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)

    @property
    def rates(self) -> Array:
        """A guess at each cell's events, whatever the model: the best linear one, near the mean where noise is wide.

        A cell's noisy counts, added up and shared among the D features, have the variance of the true rates, Poisson's,
        and J/(2D² sinh²(1/2b)) of the noise.
        """
        totals, mean, spread, noise = self._moments
        guess: Array = np.maximum(mean + spread / (spread + noise + mean) * (totals - mean), 0.1 * mean)
        return guess

    @property
    def usual(self) -> Prior:
        """Gamma rates, with the variance that shows through the noise and about the mean of the counts."""
        _, mean, spread, _ = self._moments
        shape = min(max(mean * mean / max(spread, 1e-9), BROADEST), NARROWEST)
        return Prior(shape=shape, rate=shape / mean, known=False)

    @property
    def _moments(self) -> tuple[Array, float, float, float]:
        """Noisy events by cell; of the true rates the mean and what is sure of the variance; that of the noise."""
        totals: Array = self.counts.sum(axis=1) / len(self.sizes)
        mean = max(float(totals.mean()), 0.5)
        noise = self.counts.shape[1] / (2.0 * (len(self.sizes) * math.sinh(min(0.5 / self.scale, 300.0))) ** 2)
        other = noise + mean
        error = other * math.sqrt((2.0 + 3.0 / self.counts.shape[1]) / len(totals))  # of a variance of Laplace noise
        return totals, mean, max(float(totals.var()) - other - 2.0 * error, 0.0), noise


@dataclass(frozen=True)
class Posterior:
    """S draws of the kept chains, side by side, with the same labels; and what is known of the chains."""

    states: NDArray[np.int8]  # (S, regions, steps)
    emissions: Array  # (S, K, J)
    transitions: Integers  # (S, K + 1, K)  c[p, k], the start row last
    rates: Array  # (S, C)
    log_joint: Array  # (chains, draws of each), all of them
    kept: Booleans  # (chains,)
    effective: float  # the least effective size of an emission or of a state's cells
    r_hat: float  # the worst of the kept chains
    alpha: float = 1.0  # of the prior's rows of transitions

    @property
    def agree(self) -> bool:
        """Return whether all chains found the same."""
        return bool(self.kept.all()) and self.r_hat <= CONVERGED


def posterior(
    noisy: Noisy, states: int, rng: np.random.Generator, prior: Prior | None = None, say: Say = lambda _: None
) -> Posterior:
    """Draws from the posterior of the model of so many states, by the usual prior unless there is another."""
    from dpsampling.event_logs import summed_out  # loads numba

    prior = noisy.usual if prior is None else prior
    trained = np.ones((noisy.regions, noisy.steps), dtype=bool)
    table = summed_out.grid(noisy.counts, noisy.scale)
    streams = rng.spawn(CHAINS)
    cost = noisy.counts.size * (states + summed_out.LEAPS + 3)
    longest = max(SHORTEST, int(MOST / cost / CHAINS))
    held = max(SHORTEST, HELD // (CHAINS * (states * noisy.counts.shape[1] + len(noisy.counts))))
    done = min(BLOCK, longest, held)
    places = [start(noisy, trained, states, stream) for stream in streams]

    def begin(i: int) -> list[Kept]:
        say(f"chain {i + 1} of {CHAINS}, {states} {'state' if states == 1 else 'states'}")
        run(noisy, trained, table, streams[i], places[i], min(BURN_IN, longest), prior, tune=True)
        return [run(noisy, trained, table, streams[i], places[i], done, prior)]

    def go_on(i: int) -> Kept:
        return run(noisy, trained, table, streams[i], places[i], done, prior)

    with ThreadPoolExecutor(min(CHAINS, os.cpu_count() or 1)) as threads:
        runs = list(threads.map(begin, range(CHAINS)))
        found = combined(runs, states)
        while not _enough(found, done) and 2 * done <= min(longest, held):
            say(f"{done} sweeps of each chain are worth {found.effective:.0f} independent ones in all; as many more")
            for blocks, block in zip(runs, threads.map(go_on, range(CHAINS)), strict=True):
                blocks.append(block)
            done *= 2
            found = combined(runs, states)
    return replace(found, alpha=prior.alpha)


def _enough(found: Posterior, done: int) -> bool:
    """Whether chains of so many sweeps need not go on; those that disagree are given some more, and not forever."""
    return found.effective >= AIM and (found.r_hat <= CONVERGED or done >= PATIENCE * BLOCK)


def run(
    noisy: Noisy,
    trained: Booleans,
    table: Grid,
    rng: np.random.Generator,
    place: Place,
    many: int,
    prior: Prior,
    *,
    tune: bool = False,
) -> Kept:
    """One stretch of a chain."""
    from dpsampling.event_logs import summed_out

    return summed_out.sweeps(
        rng, noisy.counts, float(noisy.scale), table, trained, noisy.offsets,
        float(prior.alpha), float(prior.beta), float(prior.shape), float(prior.rate), prior.known, place, many, 1, tune,
    )  # fmt: skip


def start(noisy: Noisy, trained: Booleans, states: int, rng: np.random.Generator) -> Place:
    """Somewhere to begin: cells clustered by their noisy shares, from random centres; held-out cells anywhere."""
    from dpsampling.event_logs import summed_out

    rates = noisy.rates
    clipped = np.maximum(noisy.counts, 0.0)
    # a share of little is pulled towards the mean's, by as many events as the noise is worth
    pull = noisy.scale * math.sqrt(2.0) + 1.0
    overall = clipped[trained.ravel()].sum(axis=0) + 0.5
    overall /= np.repeat(np.add.reduceat(overall, noisy.offsets[:-1]), noisy.sizes)
    shares = (clipped + pull * overall) / (rates[:, None] + pull)
    roots = np.sqrt(shares)
    state = rng.integers(0, states, size=trained.size)
    inside = np.flatnonzero(trained.ravel())
    state[inside] = clusters(roots[inside], states, rng)
    weights = np.empty((states, noisy.counts.shape[1]))
    for k in range(states):
        weights[k] = clipped[inside[state[inside] == k]].sum(axis=0) + pull * overall
        weights[k] /= np.repeat(np.add.reduceat(weights[k], noisy.offsets[:-1]) / np.array(noisy.sizes), noisy.sizes)
    log_weights, log_rates = np.log(weights), np.log(rates)
    return summed_out.Place(
        state.reshape(trained.shape).astype(np.int64), log_rates, log_weights, log_rates.copy(), log_weights.copy(),
        np.array([math.log(0.3), math.log(0.3), 0.0, 0.0]),
    )  # fmt: skip


def clusters(points: Array, many: int, rng: np.random.Generator) -> Integers:
    """k-means from centres that are drawn far from each other (k-means++), a few rounds."""
    centres = points[rng.integers(len(points))][None]
    for _ in range(many - 1):
        gaps = ((points[:, None] - centres) ** 2).sum(axis=2).min(axis=1) + 1e-12
        centres = np.concatenate([centres, points[rng.choice(len(points), p=gaps / gaps.sum())][None]])
    for _ in range(5):
        nearest = ((points[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
        for k in range(many):
            if (nearest == k).any():
                centres[k] = points[nearest == k].mean(axis=0)
    return nearest


def combined(runs: Sequence[Sequence[Kept]], states: int) -> Posterior:
    """The draws of all chains under the same labels, and those of the best mode."""
    log_joint = np.array([np.concatenate([block.log_joint for block in blocks]) for blocks in runs])
    drawn = np.stack([np.concatenate([block.states for block in blocks]) for blocks in runs])
    emissions = np.stack([np.concatenate([block.emissions for block in blocks]) for blocks in runs])
    rates = np.stack([np.concatenate([block.rates for block in blocks]) for blocks in runs])
    kept = best_mode(log_joint)
    chains, draws = log_joint.shape
    flat = np.where(kept[:, None], log_joint, -np.inf).argmax()
    pivot = drawn.reshape(chains * draws, *drawn.shape[2:])[flat]
    relabelled = match(drawn[kept].reshape(-1, *drawn.shape[2:]), pivot, states)
    flat_states = drawn[kept].reshape(len(relabelled), -1).astype(np.int64)
    renamed = np.take_along_axis(relabelled, flat_states, axis=1).astype(np.int8).reshape(-1, *drawn.shape[2:])
    order = np.argsort(relabelled, axis=1, kind="stable")
    theta = np.take_along_axis(emissions[kept].reshape(len(order), states, -1), order[:, :, None], axis=1)
    many = int(kept.sum())
    sizes = np.stack([(renamed == k).sum(axis=(1, 2)) for k in range(states)], axis=1)
    shown = np.concatenate([theta.reshape(len(order), -1), sizes], axis=1).reshape(many, draws, -1)
    traces = np.moveaxis(shown, 2, 0)
    return Posterior(
        states=renamed,
        emissions=theta,
        transitions=counted(renamed, states),
        rates=rates[kept].reshape(len(order), -1),
        log_joint=log_joint,
        kept=kept,
        effective=min(effective_size(trace) for trace in traces),
        r_hat=max(split_r_hat(trace) for trace in (log_joint[kept], *traces)),
    )


def best_mode(log_joint: Array) -> Booleans:
    """Which chains have joint densities like those of the best one."""
    means, spreads = log_joint.mean(axis=1), log_joint.std(axis=1)
    best = int(means.argmax())
    kept: Booleans = means[best] - means <= APART * np.maximum(spreads[best], 1e-9)
    return kept


def match(drawn: NDArray[np.int8], pivot: NDArray[np.int8], states: int) -> Integers:
    """For each draw, the new number of each of its states: most cells are then in the pivot's."""
    flat, target = drawn.reshape(len(drawn), -1).astype(np.int64), pivot.ravel().astype(np.int64)
    same = tallied(flat * states + target, states * states)
    same = same.reshape(-1, states, states)
    result = np.tile(np.arange(states), (len(flat), 1))
    if states <= TRIED:
        every = np.array(list(permutations(range(states))))
        agreeing: Integers = same[:, np.arange(states), every].sum(axis=2)
        best: Integers = every[agreeing.argmax(axis=1)]
        return best
    from scipy.optimize import linear_sum_assignment  # half a second to load

    for i in np.flatnonzero((same.argmax(axis=2) != np.arange(states)).any(axis=1)):
        result[i] = linear_sum_assignment(same[i], maximize=True)[1]
    return result


def counted(states: NDArray[np.int8], many: int) -> Integers:
    """c[p, k] of every draw; the start row is the last."""
    z = states.astype(np.int64)
    draws = len(z)
    pairs = (z[:, :, :-1] * many + z[:, :, 1:]).reshape(draws, -1)
    starts = (many * many + z[:, :, 0]).reshape(draws, -1)
    return tallied(np.concatenate([pairs, starts], axis=1), (many + 1) * many).reshape(draws, many + 1, many)


def tallied(codes: Integers, many: int) -> Integers:
    """How often each of so many codes stands in each row."""
    rows = np.arange(len(codes))[:, None] * many
    return np.bincount((rows + codes).ravel(), minlength=len(codes) * many).reshape(len(codes), many).astype(np.int64)
