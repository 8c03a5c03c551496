r"""ε of Poisson batches at a δ, by the privacy-loss distribution of dp-accounting, rounded towards less privacy.

Its pair is that of `sampled_gaussian`, its distribution a pessimistic one on a grid. Without sampling the Gaussian
curve itself is taken, which needs no grid. `sigma_for` searches for the least noise that keeps a promise.
"""

from __future__ import annotations

import importlib
import math
from functools import cache
from types import ModuleType
from typing import Any

from dpsampling.errors import InputError
from dpsampling.learners.sampled_gaussian import check, without_batches
from dpsampling.privacy.guarantee import Relation
from dpsampling.privacy.rounding import round_up

INTERVAL = 1e-4  # between the losses of the grid
LEAST_SIGMA, MOST_SIGMA = 2.0**-6, 2.0**20
NEAR = 1e-4  # of σ, relative


@cache
def epsilon(
    sampling: float, sigma: float, steps: int, delta: float, relation: Relation, interval: float = INTERVAL
) -> float:
    """The least ε that is found for this δ, rounded up."""
    check(sampling, sigma, steps)
    if not 0 < delta < 1:
        raise InputError(f"delta is {delta:g}; noisy gradients promise nothing at δ = 0: take one above 0 and below 1.")
    if sampling == 1:
        return without_batches(sigma, steps, relation).approximate(delta).epsilon
    one = _distributions().from_gaussian_mechanism(
        sigma,
        pessimistic_estimate=True,
        value_discretization_interval=interval,
        sampling_prob=sampling,
        neighboring_relation=_theirs(relation),
    )
    return round_up(max(0.0, float(one.self_compose(int(steps)).get_epsilon_for_delta(delta))))


def sigma_for(
    target: float, sampling: float, steps: int, delta: float, relation: Relation, interval: float = INTERVAL
) -> float:
    """The least σ found that is (target, δ): at most `NEAR` of itself above what would do."""
    if not 0 < target < math.inf:
        raise InputError(f"epsilon is {target:g}; it must be above 0 and finite.")

    def excess(log_sigma: float) -> float:
        found = epsilon(sampling, math.exp(log_sigma), steps, delta, relation, interval)
        return math.log(max(found, target * 1e-3) / target)

    lost, kept = _around(excess, target, sampling, steps)
    of_lost, of_kept = excess(lost), excess(kept)
    while kept - lost > NEAR and of_kept < 0.0:
        # ln ε is nearly straight in ln σ: the chord, kept off the ends so that both sides close in.
        guess = lost + (kept - lost) * of_lost / (of_lost - of_kept)
        guess = min(max(guess + NEAR / 4.0, lost + NEAR / 2.0), kept - NEAR / 2.0)
        found = excess(guess)
        if found <= 0.0:
            kept, of_kept = guess, found
            if found > -NEAR:
                break
        else:
            lost, of_lost = guess, found
    return math.exp(kept)


def _around(excess: Any, target: float, sampling: float, steps: int) -> tuple[float, float]:
    """ln σ that loses the promise, and one that keeps it, a factor of 1.5 apart."""
    guess = math.log(max(0.5, 4.0 * sampling * math.sqrt(steps) / target if target < 4.0 else 0.5))
    step = math.log(1.5)
    keeps = excess(guess) <= 0.0
    while True:
        other = guess - step if keeps else guess + step
        if not math.log(LEAST_SIGMA) < other < math.log(MOST_SIGMA):
            raise InputError(
                f"epsilon is {target:g} for {steps} steps; no σ between {LEAST_SIGMA:g} and {MOST_SIGMA:g} is at its "
                "edge: take another number of steps, or another δ."
            )
        if (excess(other) <= 0.0) != keeps:
            return (other, guess) if keeps else (guess, other)
        guess = other


@cache
def _distributions() -> ModuleType:
    try:
        return importlib.import_module("dp_accounting.pld.privacy_loss_distribution")
    except ImportError as error:
        raise InputError(
            "dp-accounting is not installed, and noisy gradient descent is priced with it; "
            "pip install 'dpsampling[learners]'."
        ) from error


def _theirs(relation: Relation) -> Any:
    relations = importlib.import_module("dp_accounting").NeighboringRelation
    return relations.REPLACE_ONE if relation is Relation.REPLACE_ONE else relations.ADD_OR_REMOVE_ONE
