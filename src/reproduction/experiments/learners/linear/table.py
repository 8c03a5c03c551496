r"""A row for each data set, mechanism and ε: mean squared errors of held-out outcomes in [−1, 1].

Features have ‖x‖ ≤ 1 and outcomes |y| ≤ 1 by public bounds; there is no intercept. Predictions are clipped to [−1, 1],
which costs nothing. Each repeat has a split of its own, which all mechanisms share, and noise of its own.

Planted rows: x = r u with a uniform direction u and r = ½ + ½U, y = .8 x·v + .1 N for a unit vector v, clipped; half of
as many again are held out. Both neighbouring relations are there, since printed forms have different ones.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpsampling.datasets import splits
from dpsampling.datasets.design import Design
from dpsampling.errors import InputError
from dpsampling.learners.ada_ssp import AdaSSP
from dpsampling.learners.functional import FunctionalLinear
from dpsampling.numerics.randomness import substream
from dpsampling.privacy.gaussian_dp import GaussianDP
from dpsampling.privacy.guarantee import Relation
from reproduction.experiments.learners import linear as said
from reproduction.experiments.learners.spread import summary

Array = NDArray[np.float64]
Row = dict[str, Any]
Learner = FunctionalLinear | AdaSSP

SLOPE, SPREAD = 0.8, 0.1
ADD, REPLACE = Relation.ADD_OR_REMOVE_ONE, Relation.REPLACE_ONE
SHORT = {ADD: said.ADDED, REPLACE: said.REPLACED}


class Split(NamedTuple):
    """Rows to learn from, and others."""

    features: Array
    outcomes: Array
    held_out: Array
    wanted: Array

    def error(self, weights: Array) -> float:
        """Mean squared, on the others."""
        return float(np.mean((np.clip(self.held_out @ weights, -1.0, 1.0) - self.wanted) ** 2))


def table(params: Mapping[str, Any], rng: np.random.Generator, inputs: Mapping[str, Design]) -> pd.DataFrame:
    """The named data set, then planted rows."""
    design = inputs[params["dataset"]]
    if design.outcome is None:
        raise InputError(f"data set {design.name} has no outcome; declare bounds under its label, as abalone has.")
    real = _rows(design.name, lambda own: _real(design, own), params, rng)
    planted = _rows(said.PLANTED, lambda own: _planted(params["n"], params["dimension"], own), params, rng)
    rows = [*(row | {"title": design.title} for row in real), *(row | {"title": "planted rows"} for row in planted)]
    return pd.DataFrame(rows).reindex(columns=list(said.COLUMNS))


def learners(epsilon: float, delta: float) -> dict[str, Learner]:
    """Every private mechanism at a level, for rows and outcomes within 1."""
    return {
        said.FUNCTIONAL_PRINTED: FunctionalLinear(epsilon, 1.0, "printed", REPLACE, outcome_bound=1.0),
        said.FUNCTIONAL_TIGHT: FunctionalLinear(epsilon, 1.0, "tight", REPLACE, outcome_bound=1.0),
        said.FUNCTIONAL_ADDED: FunctionalLinear(epsilon, 1.0, "tight", ADD, outcome_bound=1.0),
        said.ADA_SSP_PRINTED: AdaSSP(epsilon, delta, 1.0, 1.0, "printed", ADD),
        said.ADA_SSP_EXACT: AdaSSP(epsilon, delta, 1.0, 1.0, "exact", ADD),
        said.ADA_SSP_REPLACED: AdaSSP(epsilon, delta, 1.0, 1.0, "exact", REPLACE),
    }


def _rows(
    name: str, drawn: Callable[[np.random.Generator], Split], params: Mapping[str, Any], rng: np.random.Generator
) -> Iterator[Row]:
    private = {
        (mechanism, epsilon): learner
        for epsilon in params["epsilons"]
        for mechanism, learner in learners(epsilon, params["delta"]).items()
    }
    errors: dict[tuple[str, float | None], list[float]] = defaultdict(list)
    for repeat in range(params["repeats"]):
        split = drawn(substream(rng, name, "rows", repeat))
        plain = np.asarray(np.linalg.lstsq(split.features, split.outcomes, rcond=None)[0], dtype=np.float64)
        errors[said.PLAIN, None].append(split.error(plain))
        errors[said.CONSTANT, None].append(float(np.mean((split.outcomes.mean() - split.wanted) ** 2)))
        for (mechanism, epsilon), learner in private.items():
            own = substream(rng, name, mechanism, epsilon, repeat)
            weights = learner.fit(split.features, split.outcomes, own).weights
            errors[mechanism, epsilon].append(split.error(weights))
    n, dimension = split.features.shape
    for (mechanism, epsilon), found in errors.items():
        privacy = {"relation": said.NONE} if epsilon is None else _privacy(private[mechanism, epsilon])
        about = {"dataset": name, "n": n, "dimension": dimension, "mechanism": mechanism, "epsilon": epsilon}
        yield {**about, **summary("mse", found), **privacy}


def _privacy(learner: Learner) -> Row:
    """Return what is promised, and of AdaSSP what is spent in all and in one step of sensitivity 1."""
    promised: Row = {"relation": SHORT[learner.relation], "delta": 0.0}
    if isinstance(learner, AdaSSP):
        step = GaussianDP(1.0 / learner.sigma, learner.relation)
        promised["delta"], promised["delta_spent"] = learner.delta, learner.gaussian.delta(learner.epsilon)
        promised["delta_step"] = step.delta(learner.epsilon / 3.0)
    return promised


def _real(design: Design, rng: np.random.Generator) -> Split:
    assert design.outcome is not None
    train, test = splits.draw(design, rng)
    return Split(design.features[train], design.outcome[train], design.features[test], design.outcome[test])


def _planted(n: int, dimension: int, rng: np.random.Generator) -> Split:
    size = n + n // 2
    directions = rng.standard_normal((size + 1, dimension))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    features = directions[:size] * rng.uniform(0.5, 1.0, (size, 1))
    outcomes = np.clip(SLOPE * features @ directions[size] + SPREAD * rng.standard_normal(size), -1.0, 1.0)
    return Split(features[:n], outcomes[:n], features[n:], outcomes[n:])
