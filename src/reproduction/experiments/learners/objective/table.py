r"""The true ε of perturbed classifiers where d = 1, by densities and by probabilities of intervals.

Densities: the largest ln p/p′ over w, z and z′ (`learners.exact_objective_1d`). Events: at the pair that was found, the
largest ln of a quotient of two probabilities of one interval, from the distribution function of b, of which no
derivative is taken. Among others: `OTHERS_KEPT` equal records, so small that they hardly bend, shift b to one side.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any, cast

import numpy as np
import pandas as pd

from dpsampling.learners.exact_objective_1d import PerturbedObjective, PerturbedOutput, Worst, worst
from dpsampling.learners.losses import HuberHinge, Logistic, Loss
from dpsampling.learners.objective_levels import Accounting, levels, slack
from dpsampling.learners.regularised import RegularisedClassifier
from dpsampling.numerics.ties import first_of_largest
from reproduction.experiments.learners import objective as said

Row = dict[str, Any]

OTHERS_KEPT = 2.0**20
WIDTH = 1e-4  # of the intervals
RECORDS = np.linspace(-1.0, 1.0, 21)  # z of output perturbation


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """A row for each variant, loss, nΛ and ε; of objective perturbation one alone and one among others."""
    del rng  # nothing is drawn
    losses: tuple[Loss, ...] = (Logistic(), HuberHinge(params["hinge_width"]))
    settings = product(losses, params["n_lambdas"], params["epsilons"])
    rows = [row for setting in settings for row in (_output(*setting), *_objectives(*setting))]
    return pd.DataFrame(rows, columns=list(said.COLUMNS))


def _output(loss: Loss, ridge: float, epsilon: float) -> Row:
    """One record: where its minimisers are furthest apart, for noise of the rate ε/(2/(nΛ))."""
    alone = (PerturbedObjective(np.array([z]), loss, ridge, 1.0) for z in RECORDS)
    minimisers = np.array([objective.minimisers(np.zeros(1))[0] for objective in alone])
    low, high = (int(first_of_largest(side)) for side in (-minimisers, minimisers))
    rate = epsilon * ridge / 2.0
    near, far = (PerturbedOutput(float(minimisers[i]), rate) for i in (high, low))
    at = np.array([minimisers[high]])
    densities = float((near.log_density(at) - far.log_density(at))[0])
    end = (float(at[0]), float(at[0]) + 1.0 / rate)
    found = Worst(densities, float(at[0]), float(RECORDS[high]), float(RECORDS[low]))
    events = near.log_probability(*end) - far.log_probability(*end)
    return _claimed(loss, ridge, epsilon, said.OUTPUT, said.ALONE) | _found(loss, epsilon, ridge, found, events)


def _objectives(loss: Loss, ridge: float, epsilon: float) -> Iterator[Row]:
    learner = RegularisedClassifier(loss, 1, 1, 1.0, ridge)
    for variant in (said.FIRST, said.PRINTED, said.TIGHT):
        shared = levels(cast("Accounting", variant), learner, Fraction(epsilon))
        noise = float(shared.noise)
        for beside in (said.ALONE, said.OTHERS):
            found = worst(loss, shared.ridge, noise / 2.0, alone=beside == said.ALONE)
            events = _events(loss, shared.ridge, noise / 2.0, found, beside)
            claimed = _claimed(loss, ridge, epsilon, variant, beside)
            yield claimed | _found(loss, noise, shared.ridge, found, events)


def _events(loss: Loss, ridge: float, rate: float, found: Worst, beside: str) -> float:
    """The largest ln of a quotient, over intervals at, before and behind w."""
    w = found.w
    intervals = [(w - WIDTH, w), (w - WIDTH / 2.0, w + WIDTH / 2.0), (w, w + WIDTH)]
    best = 0.0
    for shift in [0.0] if beside == said.ALONE else _shifts(loss, ridge, w):
        copies = np.array([OTHERS_KEPT if shift else 0.0, 1.0])
        near, far = (
            PerturbedObjective(np.array([shift / OTHERS_KEPT, z]), loss, ridge, rate, copies)
            for z in (found.z, found.replaced)
        )
        best = max(best, *(near.log_probability(*each) - far.log_probability(*each) for each in intervals))
    return best


def _shifts(loss: Loss, ridge: float, w: float) -> list[float]:
    """Σ z_i of small records, whose Σ ℓ′(0) z_i is further than Lw and both records' pulls, to either side."""
    enough = 1.25 * (ridge * abs(w) + 3.0) / abs(float(loss.slope(np.zeros(1))[0]))
    return [enough, -enough]


def _claimed(loss: Loss, ridge: float, epsilon: float, variant: str, beside: str) -> Row:
    about = {"variant": variant, "loss": loss.name, "beside": beside}
    return {**about, "n_lambda": ridge, "epsilon_claimed": epsilon}


def _found(loss: Loss, noise: float, ridge: float, found: Worst, events: float) -> Row:
    ratio = float(loss.curvature) / ridge
    return {
        "noise_level": noise,
        "n_ridge": ridge,
        "epsilon_true": found.epsilon,
        "epsilon_events": events,
        "w": found.w,
        "z": found.z,
        "replaced": found.replaced,
        "slack_printed": float(np.log1p(2.0 * ratio + ratio**2)),
        "slack_tight": slack(loss, 1.0, 1, ridge),
    }
