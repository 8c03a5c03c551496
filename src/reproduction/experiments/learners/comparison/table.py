"""Test errors of every classifier on one split of one data set: what is drawn anew in a repeat is its noise.

Trees, segments of bins and secret batches are drawn anew too. What is counted of the rows is counted once; noise on an
objective, and noisy gradients, ask for a fit each, and have `repeats_large`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpsampling.datasets import splits
from dpsampling.datasets.design import Design
from dpsampling.errors import InputError
from dpsampling.learners import naive_bayes, random_trees
from dpsampling.learners.boosted_bins import BoostedBins, ShapesModel, Steps, boost
from dpsampling.learners.columns import Columns
from dpsampling.learners.functional import RIDGE, FunctionalLogistic, minimum
from dpsampling.learners.gradient_descent import GradientDescent
from dpsampling.learners.linear_model import LinearModel
from dpsampling.learners.losses import HuberHinge, Logistic, Loss
from dpsampling.learners.noise import InFloats
from dpsampling.learners.objective_perturbation import ObjectivePerturbation
from dpsampling.learners.output_perturbation import GaussianOutputPerturbation, OutputPerturbation
from dpsampling.learners.random_trees import RandomTrees, TreesModel, Vote
from dpsampling.learners.regularised import RegularisedClassifier
from dpsampling.numerics.randomness import substream
from dpsampling.privacy.guarantee import Approximate, Guarantee, Pure
from reproduction.experiments.learners import comparison as said
from reproduction.experiments.learners.spread import summary

Array = NDArray[np.float64]
Row = dict[str, Any]
Run = Callable[[int], float]  # the error of a repeat
VOTES: dict[str, Vote] = {said.SUMS: "sums", said.SHARES: "shares"}


class Rows(NamedTuple):
    """For training, or for testing."""

    cells: Array
    features: Array
    labels: NDArray[np.intp]


class Setting(NamedTuple):
    """What every learner gets."""

    columns: Columns
    train: Rows
    test: Rows
    params: Mapping[str, Any]
    rng: np.random.Generator

    def of_repeat(self, mechanism: str, epsilon: float, repeat: int) -> np.random.Generator:
        """The generator of one fit."""
        return substream(self.rng, mechanism, epsilon, repeat)

    def missed(self, guessed: NDArray[Any]) -> float:
        """Return the share of test labels that are guessed otherwise."""
        return float(np.mean(guessed != self.test.labels))

    def losses(self) -> dict[str, Loss]:
        """Return the loss of each linear classifier."""
        return {said.LOGISTIC: Logistic(), said.SVM: HuberHinge(self.params["hinge_width"])}

    def steps(self, seed: int) -> Steps:
        """Return how bins are boosted."""
        params = self.params
        return Steps(seed, params["rounds"], segments=params["segments"], shrinkage=params["shrinkage"])


class Learnt(NamedTuple):
    """A learner at one ε."""

    mechanism: str
    epsilon: float
    guarantee: Guarantee
    repeats: int
    run: Run


def table(params: Mapping[str, Any], rng: np.random.Generator, inputs: Mapping[str, Design]) -> pd.DataFrame:
    """A row a learner and ε, then those without privacy."""
    setting = _setting(params, rng, inputs)
    learnt = (
        *_bayes(setting),
        *_trees(setting),
        *_boosted(setting),
        *_functional(setting),
        *_descent(setting),
        *(linear for family, loss in setting.losses().items() for linear in _linear(setting, loss, family)),
    )
    rows = [_measured(learner) for learner in learnt]
    rows += [
        {"mechanism": name, "family": family, "form": said.PLAIN, "error": error, "repeats": 1}
        for name, family, error in _without(setting)
    ]
    return pd.DataFrame(rows).assign(n=len(setting.train.labels)).reindex(columns=list(said.COLUMNS))


def _setting(params: Mapping[str, Any], rng: np.random.Generator, inputs: Mapping[str, Design]) -> Setting:
    design = inputs[params["dataset"]]
    if design.cells is None:
        raise InputError(f"data set {design.name} has no cells, as it is of images; name one that is a table.")
    cells, labels = design.cells, design.labels.astype(np.intp)
    at, test_at = splits.draw(design, substream(rng, "split"))
    train = Rows(cells[at], design.features[at], labels[at])
    test = Rows(cells[test_at], design.features[test_at], labels[test_at])
    return Setting(Columns(design.described, params["bins"]), train, test, params, rng)


def _measured(learnt: Learnt) -> Row:
    family, form = said.KINDS[learnt.mechanism]
    guarantee = learnt.guarantee
    assert isinstance(guarantee, Pure | Approximate)
    return {
        "mechanism": learnt.mechanism,
        "family": family,
        "form": form,
        "relation": guarantee.relation.value,
        "epsilon": learnt.epsilon,
        "delta": guarantee.delta if isinstance(guarantee, Approximate) else 0.0,
        **summary("error", [learnt.run(repeat) for repeat in range(learnt.repeats)]),
        "conditions": "; ".join(guarantee.conditions) or None,
    }


def _bayes(setting: Setting) -> Iterator[Learnt]:
    params, columns = setting.params, setting.columns
    counts = naive_bayes.count(columns, 2, setting.train.cells, setting.train.labels)
    places = columns.placed(setting.test.cells)

    def run(learner: Any, mechanism: str, epsilon: float) -> Run:
        def error(repeat: int) -> float:
            model = learner.noisy(counts, InFloats(setting.of_repeat(mechanism, epsilon, repeat)))
            return setting.missed(model.scores_at(places).argmax(axis=1))

        return error

    for epsilon in params["epsilons"]:
        whole = naive_bayes.NaiveBayes(columns, 2, epsilon)
        gaussian = naive_bayes.GaussianNaiveBayes(columns, 2, epsilon, params["delta"])
        for mechanism, learner in ((said.COUNTS, whole), (said.GAUSSIAN_COUNTS, gaussian)):
            error = run(learner, mechanism, epsilon)
            yield Learnt(mechanism, epsilon, learner.guarantee, params["repeats"], error)


def _trees(setting: Setting) -> Iterator[Learnt]:
    """New trees for each repeat, the same ones for every ε."""
    params = setting.params
    trees, depth = params["trees"], params["depth"]
    seeds = substream(setting.rng, "trees").integers(2**31, size=params["repeats"]).tolist()
    grown = []
    for seed in seeds:
        forest = RandomTrees(setting.columns, 2, 1.0, seed, trees, depth).forest
        of_train, of_test = (forest.leaves(setting.columns.cells(rows.cells)) for rows in (setting.train, setting.test))
        grown.append((forest, random_trees.count(of_train, setting.train.labels, depth, 2), of_test))

    def run(mechanism: str, epsilon: float) -> Run:
        def error(repeat: int) -> float:
            forest, counts, leaves = grown[repeat]
            learner = RandomTrees(setting.columns, 2, epsilon, seeds[repeat], trees, depth, VOTES[mechanism])
            noisy = learner.added(counts, InFloats(setting.of_repeat(mechanism, epsilon, repeat)))
            model = TreesModel(forest, noisy, VOTES[mechanism], learner.guarantee)
            return setting.missed(model.probabilities_at(leaves).argmax(axis=1))

        return error

    for epsilon in params["epsilons"]:
        guarantee = RandomTrees(setting.columns, 2, epsilon, 0, trees, depth).guarantee
        for mechanism in VOTES:
            yield Learnt(mechanism, epsilon, guarantee, params["repeats"], run(mechanism, epsilon))


def _boosted(setting: Setting) -> Iterator[Learnt]:
    params, columns = setting.params, setting.columns
    codes, places = columns.codes(setting.train.cells), columns.placed(setting.test.cells)
    more = params["published_epsilons"] if params["dataset"] == said.RECORD else ()

    def run(epsilon: float) -> Run:
        def error(repeat: int) -> float:
            own = setting.of_repeat(said.BOOSTED, epsilon, repeat)
            learner = BoostedBins(columns, epsilon, params["delta"], setting.steps(int(own.integers(2**31))))
            model = learner.noisy(codes, setting.train.labels, InFloats(own))
            return setting.missed(model.scores_at(places) > 0.0)

        return error

    for epsilon in sorted({*params["epsilons"], *more}):
        guarantee = BoostedBins(columns, epsilon, params["delta"], setting.steps(0)).guarantee
        yield Learnt(said.BOOSTED, epsilon, guarantee, params["repeats"], run(epsilon))


def _functional(setting: Setting) -> Iterator[Learnt]:
    """The noisy polynomial's minimum, of coefficients that are computed once."""
    params, train = setting.params, setting.train
    dimension = train.features.shape[1]
    exact = FunctionalLogistic(1.0, 1.0, "printed").coefficients(train.features, train.labels)

    def run(learner: FunctionalLogistic, epsilon: float) -> Run:
        scale = learner.scale(dimension)

        def error(repeat: int) -> float:
            noisy = InFloats(setting.of_repeat(said.FUNCTIONAL, epsilon, repeat)).laplace(exact, scale)
            weights, _ = minimum(noisy, dimension, RIDGE * math.sqrt(2.0) * float(scale))
            return setting.missed(LinearModel(weights, learner.guarantee).predict(setting.test.features))

        return error

    for epsilon in params["epsilons"]:
        learner = FunctionalLogistic(epsilon, 1.0, "printed")
        yield Learnt(said.FUNCTIONAL, epsilon, learner.guarantee, params["repeats"], run(learner, epsilon))


def _descent(setting: Setting) -> Iterator[Learnt]:
    params, train = setting.params, setting.train
    for epsilon in params["epsilons"]:
        learner = GradientDescent.calibrate(
            epsilon,
            params["delta"],
            bound=1.0,
            records=len(train.labels),  # for this evaluation, the set's size counts as public
            sampling=params["sampling"],
            steps=round(params["epochs"] / params["sampling"]),
            rate=params["rate"],
            interval=params["interval"],
        )
        yield _fitted(setting, said.DESCENT, epsilon, learner, params["repeats_large"])


def _linear(setting: Setting, loss: Loss, family: str) -> Iterator[Learnt]:
    params = setting.params
    n, dimension = setting.train.features.shape
    public = (loss, n, dimension, 1.0, params["regularisation"])
    without = RegularisedClassifier(*public)
    signed = without.signed(setting.train.features, setting.train.labels)
    start = without.minimum(signed)
    for epsilon in params["epsilons"]:
        for noise, learner in (
            (said.OUTPUT, OutputPerturbation(*public, epsilon)),
            (said.GAUSSIAN, GaussianOutputPerturbation(*public, epsilon, params["delta"])),
            (said.PRINTED, ObjectivePerturbation(*public, epsilon, "2011")),
            (said.TIGHT, ObjectivePerturbation(*public, epsilon, "tight")),
        ):
            repeats = params["repeats"] if noise in (said.OUTPUT, said.GAUSSIAN) else params["repeats_large"]
            yield _perturbed(setting, said.of(family, noise), epsilon, learner, repeats, signed, start)


def _perturbed(
    setting: Setting, mechanism: str, epsilon: float, learner: Any, repeats: int, signed: Array, start: Array
) -> Learnt:
    """A learner whose repeats share what no noise is in."""
    learning = cache(lambda: learner.learning(signed, start))

    def error(repeat: int) -> float:
        model = learning()(InFloats(setting.of_repeat(mechanism, epsilon, repeat)))
        return setting.missed(model.predict(setting.test.features))

    return Learnt(mechanism, epsilon, learner.guarantee, repeats, error)


def _fitted(setting: Setting, mechanism: str, epsilon: float, learner: Any, repeats: int) -> Learnt:
    """A learner of linear weights that is fitted in each repeat."""

    def error(repeat: int) -> float:
        own = setting.of_repeat(mechanism, epsilon, repeat)
        model = learner.fit(setting.train.features, setting.train.labels, own)
        return setting.missed(model.predict(setting.test.features))

    return Learnt(mechanism, epsilon, learner.guarantee, repeats, error)


def _without(setting: Setting) -> Iterable[tuple[str, str, float]]:
    """The same learners without noise, and the commoner label of the training rows."""
    params, columns, train, test = setting.params, setting.columns, setting.train, setting.test
    names = {family: name for name, family in said.WITHOUT.items()}
    counts = naive_bayes.count(columns, 2, train.cells, train.labels)
    bayes = naive_bayes.model(columns, counts.classes, counts.tables, 1.0, None)
    yield names[said.BAYES], said.BAYES, setting.missed(bayes.predict(test.cells))
    shapes = ShapesModel(columns, boost(columns, setting.steps(0), columns.codes(train.cells), train.labels), None)
    yield names[said.TREES], said.TREES, setting.missed(shapes.predict(test.cells))
    n, dimension = train.features.shape
    for family, loss in setting.losses().items():
        learner = RegularisedClassifier(loss, n, dimension, 1.0, params["regularisation"])
        model = learner.without_privacy(train.features, train.labels)
        yield names[family], family, setting.missed(model.predict(test.features))
    commoner = int(2 * train.labels.sum() > len(train.labels))
    yield said.MAJORITY, said.NONE, setting.missed(np.full(len(test.labels), commoner))
