r"""Test scores of every private classifier over orders and ε: NIPS 2017 section 5.2 and supplement A.8.

Each law is drawn from `repeats` times on the same training records; what is kept are the mean and the standard
deviation, over the draws, of

    error    the share of test records with sign(w·x) ≠ 2y − 1
    nll      the mean over test records of ln(1 + e^{−z·w})

and how many proposals a draw took. A law that several points share is drawn from once: OPS knows no order, the
posterior no ε either, and where ε is large the others are the posterior. Every mode is sought from the posterior's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from dpsampling.learners.logistic import names
from dpsampling.learners.logistic.mechanisms import (
    Classifier,
    ConcentratedClassifier,
    DiffusedClassifier,
    DirectClassifier,
    Model,
    TruncatedClassifier,
)
from dpsampling.learners.logistic.records import Records
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.randomness import substream

DIGITS = 12  # of a mean over records, whose last digits depend on the order in which a machine adds


class Score(NamedTuple):
    """One point of the curves."""

    dataset: str
    order: float
    mechanism: str
    log_epsilon: float
    error: float
    error_sd: float
    nll: float
    nll_sd: float
    precision: float
    weight: float
    acceptance: float


Point = tuple[float, str, float]  # order, mechanism, ε


def scores(
    dataset: str, train: Records, test: Records, params: Mapping[str, Any], rng: np.random.Generator
) -> Iterator[Score]:
    """Every order, mechanism and ε of the parameters."""
    repeats = int(params["repeats"])
    model = Model(train.n, float(params["regularity"]))
    # By the law and not by the point: nothing may depend on which other points there are, nor where a mode is sought.
    near = DirectClassifier.of(model).target(train).mode()
    for mechanism, points in _settings(model, params):
        # By digits in which calibrations agree on every machine; laws that share them may share their random numbers.
        law = [f"{value:.6g}" for value in (mechanism.precision, mechanism.weight, mechanism.radius or math.inf)]
        drawn = mechanism.drawn(train, substream(rng, "draws", dataset, *law), repeats, near)
        found = (*_scored(test, drawn.points), mechanism.precision, mechanism.weight, repeats / drawn.proposals)
        for order, name, epsilon in points:
            yield Score(dataset, order, name, _short(math.log(epsilon)), *map(_short, found))


def _scored(test: Records, points: Array) -> tuple[float, float, float, float]:
    """Mean and standard deviation of both scores over the draws."""
    margins = test.signed @ points.T
    error, nll = np.mean(margins <= 0.0, axis=0), np.mean(np.logaddexp(0.0, -margins), axis=0)
    return float(error.mean()), float(error.std(ddof=1)), float(nll.mean()), float(nll.std(ddof=1))


def _settings(model: Model, params: Mapping[str, Any]) -> list[tuple[Classifier, list[Point]]]:
    """The different laws, with the points of the curves that they are for."""
    orders, epsilons = params["kl_orders"], params["epsilons"]
    found: dict[tuple[float, float, bool], tuple[Classifier, list[Point]]] = {}
    for name in names.MECHANISMS:
        for order in map(float, orders):
            for epsilon in map(float, epsilons):
                mechanism = BUILD[name](model, order, epsilon)
                key = mechanism.precision, mechanism.weight, mechanism.radius is None
                found.setdefault(key, (mechanism, []))[1].append((order, name, epsilon))
    return list(found.values())


def _direct(model: Model, order: float, epsilon: float) -> Classifier:
    del order, epsilon  # its privacy is what it is
    return DirectClassifier.of(model)


def _ops(model: Model, _order: float, epsilon: float) -> Classifier:
    """With the published ρ: with twice that, which is ε-DP too, it is what it is here at 2ε."""
    return TruncatedClassifier.calibrate(model, epsilon=epsilon, printed=True)


BUILD: dict[str, Callable[[Model, float, float], Classifier]] = {
    names.DIRECT: _direct,
    names.DIFFUSED: lambda model, order, epsilon: DiffusedClassifier.calibrate(model, order=order, epsilon=epsilon),
    names.CONCENTRATED: lambda model, order, epsilon: ConcentratedClassifier.calibrate(
        model, order=order, epsilon=epsilon
    ),
    names.OPS: _ops,
}


def _short(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
