r"""What one record moves, by enumeration; what flawed noise costs, in exact pairs; and accuracies over repeats.

Pairs, of scales that are the rows' own and of no noise:

    scale 1/(n_y ε)             a cell of P(x|y) that is 1: of a class of one record, and of two that are alike
    scale (u − l)/((n + 1)ε)    the mean of n records at l, and one more at u
    P(Y = y) without noise      that of one record of each class, and of one and two

The first two have tails of two different slopes, so that ln p/q is unbounded: no ε is enough, and δ at the stated ε is
an integral over the two laws. What has no noise is one value for certain.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.datasets.design import Design
from dpsampling.learners import table_sensitivity
from dpsampling.learners.columns import Columns
from dpsampling.learners.naive_bayes import BayesModel, Counts, GaussianNaiveBayes, NaiveBayes, count, model
from dpsampling.learners.noise import InFloats
from dpsampling.mechanisms.known_laws import laplace
from dpsampling.numerics.randomness import substream
from dpsampling.privacy import laws
from dpsampling.privacy.gaussian_dp import GaussianDP
from dpsampling.privacy.guarantee import Relation
from reproduction.experiments.learners import naive_bayes as said
from reproduction.experiments.learners.planted import PLANTED
from reproduction.experiments.learners.spread import summary
from reproduction.experiments.learners.table_rows import rows

Row = dict[str, Any]
Level = tuple[str, float | None]  # a mechanism at an ε
Learned = Callable[[Counts, np.random.Generator], BayesModel]

INSTANCES = ((1, 2), (1, 3), (2, 2))  # attributes and levels
SIZE = 3  # records of the largest data sets
LEAST = 1e-9  # a share that noise has put below is this


def table(params: Mapping[str, Any], rng: np.random.Generator, inputs: Mapping[str, Design]) -> pd.DataFrame:
    """Enumerations, pairs, then accuracies."""
    measured = [*_enumerated(), *_pairs(params["epsilons"])]
    for name in (*params["datasets"], PLANTED):
        measured += _accuracies(name, params, inputs, rng)
    return pd.DataFrame(measured).reindex(columns=list(said.COLUMNS))


def _enumerated() -> Iterator[Row]:
    relations = (Relation.ADD_OR_REMOVE_ONE, Relation.REPLACE_ONE)
    statistics = table_sensitivity.STATISTICS.items()
    for (attributes, levels), (name, statistic), relation in product(INSTANCES, statistics, relations):
        moved = table_sensitivity.moved(statistic, attributes, levels, SIZE, relation)
        yield {
            "view": said.ENUMERATED,
            "mechanism": name,
            "relation": relation.value,
            "attributes": attributes,
            "moved_l1": float(moved.l1),
            "moved_l2_squared": float(moved.l2_squared),
            "pairs": moved.pairs,
        }


def _pairs(epsilons: list[float]) -> Iterator[Row]:
    both = one, two = Fraction(1, 1 + 1), Fraction(2, 1 + 2)  # P(Y = 1) with one record of class 0
    for epsilon in epsilons:
        n = said.RECORDS
        few, more = laplace(1.0, 1.0 / epsilon), laplace(1.0, 0.5 / epsilon)
        low = laplace(0.0, 1.0 / ((n + 1) * epsilon))
        high = laplace(1.0 / (n + 1), 1.0 / ((n + 2) * epsilon))
        deltas = {
            said.CLASS_SCALE: max(laws.delta(few, more, epsilon), laws.delta(more, few, epsilon)),
            said.MEAN_SCALE: max(laws.delta(low, high, epsilon), laws.delta(high, low, epsilon)),
            said.NO_PRIOR_NOISE: laws.delta(_exact_share(one, both), _exact_share(two, both), epsilon),
        }
        for name, delta in deltas.items():
            yield {
                "view": said.PAIR,
                "mechanism": name,
                "relation": said.ADDED,
                "attributes": 1,
                "epsilon": epsilon,
                "delta": 0.0,
                "epsilon_true": math.inf,
                "delta_true": delta,
                "pairs": 1,
            }


def _exact_share(share: Fraction, values: tuple[Fraction, ...]) -> laws.Finite:
    """The law of a share without noise, among those that it may be."""
    return laws.Finite(np.array([0.0 if value == share else -math.inf for value in values]))


def _accuracies(
    name: str, params: Mapping[str, Any], inputs: Mapping[str, Design], rng: np.random.Generator
) -> Iterator[Row]:
    scores: dict[Level, list[float]] = defaultdict(list)
    drawn = rows(name, params, inputs, rng, 0)
    columns = Columns(drawn.described, params["bins"])
    counts, places = count(columns, 2, drawn.cells, drawn.labels), columns.placed(drawn.test_cells)
    learners = _learners(columns, params, count(columns, 2, drawn.cells[:1], drawn.labels[:1]))
    for repeat in range(params["repeats"]):
        if repeat and not drawn.fixed:
            drawn = rows(name, params, inputs, rng, repeat)
            counts, places = count(columns, 2, drawn.cells, drawn.labels), columns.placed(drawn.test_cells)
        for (mechanism, epsilon), (_, learned) in learners.items():
            noise = substream(rng, name, mechanism, epsilon or math.inf, repeat)
            guessed = learned(counts, noise).scores_at(places).argmax(axis=1)
            scores[mechanism, epsilon].append(float(np.mean(guessed == drawn.test_labels)))
    for (mechanism, epsilon), (cost, _) in learners.items():
        yield {
            "view": said.ACCURACY,
            "dataset": name,
            "mechanism": mechanism,
            "attributes": columns.count,
            "epsilon": epsilon,
            **cost,
            "n": len(drawn.cells),
            **summary("accuracy", scores[mechanism, epsilon]),
        }


def _learners(columns: Columns, params: Mapping[str, Any], single: Counts) -> dict[Level, tuple[Row, Learned]]:
    """Return what each costs, by the counts of a single record, and how it learns from counts."""
    moved, cells = float(single.classes.sum() + single.tables.sum()), float(single.tables.sum())
    smoothing, m, delta = params["smoothing"], columns.count, params["delta"]
    learners: dict[Level, tuple[Row, Learned]] = {
        (said.PLAIN, None): ({}, lambda counts, _: model(columns, *counts, smoothing, None))
    }
    for epsilon in params["epsilons"]:
        whole = NaiveBayes(columns, 2, epsilon, smoothing=smoothing)
        each = NaiveBayes(columns, 2, (m + 1) * epsilon, smoothing=smoothing)
        gaussian = GaussianNaiveBayes(columns, 2, epsilon, delta, smoothing=smoothing)
        true = GaussianDP(math.sqrt(cells) / gaussian.mechanism.sigma).approximate(delta).epsilon
        for mechanism, relation, spent, learned in (
            (said.PRINTED, said.REPLACED, 2.0 * m * epsilon, _printed(columns, epsilon)),
            (said.EACH, said.ADDED, moved * float(each.rate), _learned(each)),
            (said.WHOLE, said.ADDED, moved * float(whole.rate), _learned(whole)),
            (said.GAUSSIAN, said.ADDED, true, _learned(gaussian)),
        ):
            promised = delta if mechanism == said.GAUSSIAN else 0.0
            learners[mechanism, epsilon] = {"relation": relation, "delta": promised, "epsilon_true": spent}, learned
    return learners


def _learned(learner: NaiveBayes | GaussianNaiveBayes) -> Learned:
    return lambda counts, rng: learner.noisy(counts, InFloats(rng))


def _printed(columns: Columns, epsilon: float) -> Learned:
    """Laplace noise of scale 1/ε on P(x | y) itself; P(Y = y) as it is."""

    def learned(counts: Counts, rng: np.random.Generator) -> BayesModel:
        share = counts.tables / np.maximum(counts.classes, 1)[:, None]
        noisy = np.maximum(share + rng.laplace(0.0, 1.0 / epsilon, share.shape), LEAST)
        classes = counts.classes / counts.classes.sum()
        return BayesModel(columns, np.log(np.maximum(classes, LEAST)), np.log(noisy), None)

    return learned
