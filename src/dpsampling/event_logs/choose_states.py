r"""How many states the noisy counts tell of: the score of each number on noisy counts that its model has not seen.

Cells are held out in turn, fold by fold, and of each the model of K states predicts the noisy counts, from the states
of all other cells and with the noise,

    ln (1/S) Σ_s Σ_k Pr(z_h = k | z^s of all other cells) Π_j E(y_{h,j}; λ̂_h θ_j^(k,s)),

λ̂_h being the same for every K: the linear guess at the cell's events of `Noisy.rates`, which leans on the cell's own
noisy counts no more than their noise allows; else many states would win by explaining the noise in λ̂. So what is
compared is which events happen, not how many. The smallest K is taken whose score is within two standard errors of the
best, the error being that of the difference, over the cells, or which all cells together hold for less than 20 times
less likely. With one error, of several numbers that do equally well the smallest would often be missed; where noise
hides all states, errors are smaller than they seem. Post-processing of a private release: it costs no further ε.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpsampling.event_logs import posterior
from dpsampling.event_logs.posterior import Noisy, Prior, Say
from dpsampling.numerics.arrays import Array, Integers

FOLDS = 5
ERRORS = 2.0  # standard errors below the best that a smaller number of states may score, or
ODDS = 20.0  # how much less likely it may make all cells
BURN_IN, KEPT = 80, 120  # sweeps of each fold's chain


@dataclass(frozen=True)
class Score:
    """Of one number of states, in nats a held-out cell; differences are to the best, and 0 for itself."""

    states: int
    score: float
    below_best: float
    error: float


def scores(
    noisy: Noisy, up_to: int, rng: np.random.Generator, prior: Prior | None = None, say: Say = lambda _: None
) -> list[Score]:
    """Of 1, 2, … states."""
    prior = noisy.usual if prior is None else prior
    shuffled, *streams = rng.spawn(up_to + 1)
    fold = shuffled.permutation(len(noisy.counts)) % min(FOLDS, len(noisy.counts))
    cells = []
    for states, stream in enumerate(streams, start=1):
        say(f"how well {states} of at most {up_to} states predict cells that they have not seen")
        cells.append(predicted(noisy, states, fold, stream, prior))
    return compared(np.array(cells))


def predicted(noisy: Noisy, states: int, fold: Integers, rng: np.random.Generator, prior: Prior) -> Array:
    """ln of the predictive density of each cell, by a chain that has not seen its fold."""
    from dpsampling.event_logs import summed_out  # loads numba

    table = summed_out.grid(noisy.counts, noisy.scale)
    found = np.empty(len(noisy.counts))
    for part, stream in enumerate(rng.spawn(int(fold.max()) + 1)):
        trained = (fold != part).reshape(noisy.regions, noisy.steps)
        place = posterior.start(noisy, trained, states, stream)
        posterior.run(noisy, trained, table, stream, place, BURN_IN, prior, tune=True)
        logs = posterior.run(noisy, trained, table, stream, place, KEPT, prior).held_out
        highest = logs.max(axis=0)
        found[fold == part] = highest + np.log(np.exp(logs - highest).mean(axis=0))
    return found


def compared(cells: Array) -> list[Score]:
    """Scores of (numbers of states, cells), and how far each is below the best."""
    means = cells.mean(axis=1)
    best = int(means.argmax())
    gaps = cells[best] - cells
    errors = gaps.std(axis=1, ddof=1) / math.sqrt(cells.shape[1])
    return [
        Score(i + 1, float(mean), float(gap.mean()), float(error))
        for i, (mean, gap, error) in enumerate(zip(means, gaps, errors, strict=True))
    ]


def chosen(found: list[Score], cells: int) -> int:
    """The smallest number of states that does about as well as the best."""
    return next(
        score.states for score in found if score.below_best <= max(ERRORS * score.error, math.log(ODDS) / cells)
    )
