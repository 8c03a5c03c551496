"""The posterior of a hidden Markov model behind noisy counts, by several chains: their labels matched, modes told apart.

States have no names, and each chain numbers them as it likes, even anew on its way. Every kept sweep is renumbered so
that as many cells as can be are in the same state as in the pivot, the kept sweep of the highest joint density
(Papastamoulis and Iliopoulos 2010). Chains from different starts may end in different modes. Those are kept whose joint
densities are as high as the best chain's; whether the rest were left out is part of the answer.

Chains are as long as `AIM` effective draws of every shown parameter ask for, or as `MOST` terms of likelihoods allow.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpsampling.numerics.diagnostics import effective_size, split_r_hat

if TYPE_CHECKING:
    from dpsampling.warlogs.summed_out import Grid, Kept, Place

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]

CHAINS = 4
AIM = 100.0  # effective draws of everything that is shown
BLOCK = 100  # kept sweeps of a chain before it is asked whether they are enough
BURN_IN = 100
MOST = 2e8  # terms ln E that all chains may compute, about a minute
HELD = 30_000_000  # numbers of kept emissions and rates
SHORTEST = 40  # kept sweeps, whatever they cost
APART = 3.0  # standard deviations of the joint density, beyond which a chain is in another mode
CONVERGED = 1.1  # R̂

Say = Callable[[str], None]


@dataclass(frozen=True)
class Prior:
    """Dirichlet(α) transitions, Dirichlet(β) emissions; λ^{shape − 1} e^{−rate λ} for a cell's events."""

    alpha: float = 1.0
    beta: float = 1.0
    shape: float = 0.5
    rate: float = 0.0


@dataclass(frozen=True)
class Noisy:
    """Noisy counts of regions × months, and all that is public about them."""

    counts: Floats  # (C, J)
    scale: float
    regions: int
    sizes: tuple[int, ...]

    @property
    def steps(self) -> int:
        """How many months."""
        return int(self.counts.shape[0]) // self.regions

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each feature's outcomes begin among all J, and J at the end."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)

    @property
    def rates(self) -> Floats:
        """A guess at each cell's events, whatever the model: its noisy counts' mean over the features, kept above 0."""
        guess: Floats = np.maximum(self.counts.sum(axis=1) / len(self.sizes), 0.0) + 0.5
        return guess


@dataclass(frozen=True)
class Posterior:
    """S draws of the kept chains, side by side, with the same labels; and what is known of the chains."""

    states: NDArray[np.int8]  # (S, regions, steps)
    emissions: Floats  # (S, K, J)
    transitions: NDArray[np.int64]  # (S, K + 1, K)  c[p, k], the start row last
    rates: Floats  # (S, C)
    log_joint: Floats  # (chains, draws of each), all of them
    kept: Booleans  # (chains,)
    effective: float  # the least effective size of an emission or of a state's cells
    r_hat: float  # the worst of the kept chains

    @property
    def agree(self) -> bool:
        """Whether all chains found the same."""
        return bool(self.kept.all()) and self.r_hat <= CONVERGED


def posterior(
    noisy: Noisy, states: int, rng: np.random.Generator, prior: Prior = Prior(), say: Say = lambda _: None
) -> Posterior:
    """Draws from the posterior of the model of so many states."""
    from dpsampling.warlogs import summed_out  # loads numba

    trained = np.ones((noisy.regions, noisy.steps), dtype=bool)
    table = summed_out.grid(noisy.counts, noisy.scale)
    streams = rng.spawn(CHAINS)
    cost = noisy.counts.size * (states + summed_out.LEAPS + 3)
    longest = max(SHORTEST, int(MOST / cost / CHAINS))
    held = max(SHORTEST, HELD // (CHAINS * (states * noisy.counts.shape[1] + len(noisy.counts))))
    places, runs = [], []
    burn_in = min(BURN_IN, longest)
    for i, stream in enumerate(streams):
        say(f"chain {i + 1} of {CHAINS}, {states} states")
        places.append(start(noisy, trained, states, stream))
        run(noisy, trained, table, stream, places[i], burn_in, prior, tune=True)
        runs.append([run(noisy, trained, table, stream, places[i], min(BLOCK, longest), prior)])
    found = combined(runs, states)
    done = min(BLOCK, longest)
    while found.effective < AIM and 2 * done <= min(longest, held):
        say(f"{done} sweeps of each chain are worth {found.effective:.0f} independent ones in all; as many more")
        for stream, place, blocks in zip(streams, places, runs, strict=True):
            blocks.append(run(noisy, trained, table, stream, place, done, prior))
        done *= 2
        found = combined(runs, states)
    return found


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
    from dpsampling.warlogs import summed_out

    return summed_out.sweeps(
        rng, noisy.counts, float(noisy.scale), table, trained, noisy.offsets,
        float(prior.alpha), float(prior.beta), float(prior.shape), float(prior.rate), place, many, 1, tune,
    )  # fmt: skip


def start(noisy: Noisy, trained: Booleans, states: int, rng: np.random.Generator) -> Place:
    """Somewhere to begin: cells clustered by their noisy shares, from random centres; held-out cells anywhere."""
    from dpsampling.warlogs import summed_out

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


def clusters(points: Floats, many: int, rng: np.random.Generator) -> NDArray[np.int64]:
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
    renamed = np.take_along_axis(relabelled, drawn[kept].reshape(len(relabelled), -1).astype(np.int64), axis=1)
    renamed = renamed.reshape(-1, *drawn.shape[2:]).astype(np.int8)
    order = np.argsort(relabelled, axis=1)
    theta = np.take_along_axis(emissions[kept].reshape(len(order), states, -1), order[:, :, None], axis=1)
    traces = [log_joint[kept]]
    traced = theta.reshape(int(kept.sum()), draws, -1)
    traces += [traced[:, :, i] for i in range(traced.shape[2])] if states * traced.shape[2] else []
    sizes = np.stack([(renamed == k).sum(axis=(1, 2)) for k in range(states)], axis=1).reshape(len(traced), draws, -1)
    traces += [sizes[:, :, k].astype(float) for k in range(states)]
    return Posterior(
        states=renamed,
        emissions=theta,
        transitions=counted(renamed, states),
        rates=rates[kept].reshape(len(order), -1),
        log_joint=log_joint,
        kept=kept,
        effective=min(effective_size(trace) for trace in traces),
        r_hat=max(split_r_hat(trace) for trace in traces),
    )


def best_mode(log_joint: Floats) -> Booleans:
    """Which chains have joint densities like those of the best one."""
    means, spreads = log_joint.mean(axis=1), log_joint.std(axis=1)
    best = int(means.argmax())
    kept: Booleans = means[best] - means <= APART * np.maximum(spreads[best], 1e-9)
    return kept


def match(drawn: NDArray[np.int8], pivot: NDArray[np.int8], states: int) -> NDArray[np.int64]:
    """For each draw, the new number of each of its states: most cells are then in the pivot's."""
    from scipy.optimize import linear_sum_assignment

    flat, target = drawn.reshape(len(drawn), -1).astype(np.int64), pivot.ravel().astype(np.int64)
    same = tallied(flat * states + target, states * states)
    result = np.tile(np.arange(states), (len(flat), 1))
    for i, table in enumerate(same.reshape(-1, states, states)):
        if not (table.argmax(axis=1) == np.arange(states)).all():
            result[i] = linear_sum_assignment(table, maximize=True)[1]
    return result


def counted(states: NDArray[np.int8], many: int) -> NDArray[np.int64]:
    """c[p, k] of every draw; the start row is the last."""
    z = states.astype(np.int64)
    draws = len(z)
    pairs = (z[:, :, :-1] * many + z[:, :, 1:]).reshape(draws, -1)
    starts = (many * many + z[:, :, 0]).reshape(draws, -1)
    return tallied(np.concatenate([pairs, starts], axis=1), (many + 1) * many).reshape(draws, many + 1, many)


def tallied(codes: NDArray[np.int64], many: int) -> NDArray[np.int64]:
    """How often each of so many codes stands in each row."""
    rows = np.arange(len(codes))[:, None] * many
    return np.bincount((rows + codes).ravel(), minlength=len(codes) * many).reshape(len(codes), many).astype(np.int64)
