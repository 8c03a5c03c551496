r"""What one record moves in a forest, by enumeration; the printed formula with another limit; accuracies over repeats.

Forests of 1, 2, 3 and m trees over a number and a category: all of a grid of records, alone and in place of each other.
Counts are sums over records, so that what the others are makes no difference.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.datasets.design import Design
from dpsampling.datasets.recipe import Category, Number
from dpsampling.learners import random_trees
from dpsampling.learners.boosted_bins import BoostedBins, ShapesModel, Steps, boost
from dpsampling.learners.columns import Columns
from dpsampling.learners.noise import InFloats
from dpsampling.learners.random_trees import RandomTrees, TreesModel
from dpsampling.numerics.randomness import substream
from dpsampling.privacy.gaussian_dp import GaussianDP
from reproduction.experiments.learners import trees as said
from reproduction.experiments.learners.planted import PLANTED
from reproduction.experiments.learners.spread import summary
from reproduction.experiments.learners.table_rows import Rows, rows

Row = dict[str, Any]
Scored = Iterator[tuple[str, float | None, float]]

GRID = Columns((Number("number", 0.0, 1.0), Category("category", ("a", "b", "c"))), 1)
RECORDS = np.array([[x, c] for x in np.linspace(0.0, 1.0, 5) for c in range(3)])
VOTES: dict[str, random_trees.Vote] = {said.SUMS: "sums", said.SHARES: "shares"}
SHALLOW = 3  # depth of the forests that are enumerated


def table(params: Mapping[str, Any], rng: np.random.Generator, inputs: Mapping[str, Design]) -> pd.DataFrame:
    """Enumerations, the formula, then accuracies."""
    measured = [*_enumerated(params), *_formula(params, inputs, rng)]
    for name in (*params["datasets"], PLANTED):
        measured += _accuracies(name, params, inputs, rng)
    return pd.DataFrame(measured).reindex(columns=list(said.COLUMNS))


def _enumerated(params: Mapping[str, Any]) -> Iterator[Row]:
    for trees in sorted({1, 2, 3, params["trees"]}):
        forest = random_trees.grow(GRID, trees, SHALLOW, np.random.default_rng(trees))
        leaves = forest.leaves(RECORDS)
        single = [(leaf[None], np.array([label])) for leaf in leaves for label in (0, 1)]
        alone = np.array([random_trees.count(*record, SHALLOW, 2).ravel() for record in single])
        added = float(np.abs(alone).sum(axis=1).max())
        replaced = float(np.abs(alone[:, None] - alone[None]).sum(axis=2).max())
        apart = float(np.mean(alone.any(axis=1)))  # of neighbours, whose exact counts differ
        shared = {"view": said.ENUMERATED, "trees": trees}
        yield {**shared, "mechanism": said.LEAVES, "relation": said.ADDED, "moved_l1": added}
        yield {**shared, "mechanism": said.LEAVES, "relation": said.REPLACED, "moved_l1": replaced}
        cost = {"relation": said.ADDED, "epsilon_true": math.inf, "delta_true": apart}
        yield {**shared, "mechanism": said.NO_NOISE, **cost}


def _formula(params: Mapping[str, Any], inputs: Mapping[str, Design], rng: np.random.Generator) -> Iterator[Row]:
    """Σ_k of the printed quotient, on exact counts of planted rows."""
    drawn = rows(PLANTED, params, inputs, rng, 0)
    columns = Columns(drawn.described, 1)
    forest = random_trees.grow(columns, params["trees"], params["depth"], substream(rng, "formula"))
    counts = random_trees.count(forest.leaves(drawn.cells), drawn.labels, params["depth"], 2)
    leaves = forest.leaves(drawn.test_cells)
    held = np.array([counts[tree, leaf].sum(axis=-1) for tree, leaf in enumerate(leaves.T)])
    for mechanism, limit in ((said.TO_N, params["trees"] - 1), (said.TO_M, params["trees"])):
        below = held[:limit].sum(axis=0)
        off = np.abs(held.sum(axis=0)[below > 0] / below[below > 0] - 1.0).max()
        yield {"view": said.FORMULA, "dataset": PLANTED, "mechanism": mechanism, "trees": limit, "off": float(off)}


def _accuracies(
    name: str, params: Mapping[str, Any], inputs: Mapping[str, Design], rng: np.random.Generator
) -> Iterator[Row]:
    scores: dict[tuple[str, float | None], list[float]] = defaultdict(list)
    for repeat in range(params["repeats"]):
        drawn = rows(name, params, inputs, rng, repeat)
        own = substream(rng, "learners", name, repeat)
        for mechanism, epsilon, accuracy in (*_forest(drawn, params, own), *_boosted(name, drawn, params, own)):
            scores[mechanism, epsilon].append(accuracy)
    columns = Columns(drawn.described, params["bins"])
    shared = {"view": said.ACCURACY, "dataset": name, "n": len(drawn.cells)}
    for (mechanism, epsilon), mine in scores.items():
        cost = {} if epsilon is None else _cost(mechanism, columns, epsilon, params)
        yield {**shared, "mechanism": mechanism, "epsilon": epsilon, **cost, **summary("accuracy", mine)}


def _forest(drawn: Rows, params: Mapping[str, Any], rng: np.random.Generator) -> Scored:
    """New trees for each repeat, new noise for each ε and each vote."""
    columns = Columns(drawn.described, params["bins"])
    trees, depth, seed = params["trees"], params["depth"], int(rng.integers(2**31))
    learner = RandomTrees(columns, 2, 1.0, seed, trees, depth)
    counts = random_trees.count(learner.forest.leaves(drawn.cells), drawn.labels, depth, 2)
    leaves = learner.forest.leaves(drawn.test_cells)

    def accuracy(model: TreesModel) -> float:
        return float(np.mean(model.probabilities_at(leaves).argmax(axis=1) == drawn.test_labels))

    yield said.PLAIN_SUMS, None, accuracy(TreesModel(learner.forest, counts, "sums", None))
    yield said.PLAIN_SHARES, None, accuracy(TreesModel(learner.forest, counts, "shares", None))
    for epsilon in params["epsilons"]:
        private = RandomTrees(columns, 2, epsilon, seed, trees, depth)
        for mechanism in (said.SUMS, said.SHARES):
            noisy = private.added(counts, InFloats(substream(rng, mechanism, epsilon)))
            yield mechanism, epsilon, accuracy(TreesModel(learner.forest, noisy, VOTES[mechanism], private.guarantee))


def _boosted(name: str, drawn: Rows, params: Mapping[str, Any], rng: np.random.Generator) -> Scored:
    columns, steps = Columns(drawn.described, params["bins"]), _steps(params, int(rng.integers(2**31)))
    codes, places = columns.codes(drawn.cells), columns.placed(drawn.test_cells)

    def accuracy(model: ShapesModel) -> float:
        return float(np.mean((model.scores_at(places) > 0.0) == drawn.test_labels))

    plain = boost(columns, steps, codes, drawn.labels)
    yield said.PLAIN_BOOSTED, None, accuracy(ShapesModel(columns, plain, None))
    more = params["published_epsilons"] if name == said.ADULT else ()
    for epsilon in sorted({*params["epsilons"], *more}):
        learner = BoostedBins(columns, epsilon, params["delta"], steps)
        noise = InFloats(substream(rng, said.BOOSTED, epsilon))
        yield said.BOOSTED, epsilon, accuracy(learner.noisy(codes, drawn.labels, noise))


def _steps(params: Mapping[str, Any], seed: int) -> Steps:
    return Steps(seed, params["rounds"], segments=params["segments"], shrinkage=params["shrinkage"])


def _cost(mechanism: str, columns: Columns, epsilon: float, params: Mapping[str, Any]) -> Row:
    """The true level of the noise that was drawn: what a record moves, over its scale."""
    if mechanism == said.BOOSTED:
        learner = BoostedBins(columns, epsilon, params["delta"], _steps(params, 0))
        counts = columns.count / learner.sigma_of_counts**2
        sums = columns.count * params["rounds"] / learner.sigma_of_sums**2
        true = GaussianDP(math.sqrt(counts + sums)).approximate(params["delta"]).epsilon
        return {"relation": said.ADDED, "delta": params["delta"], "epsilon_true": true}
    rate = float(RandomTrees(columns, 2, epsilon, 0, params["trees"], params["depth"]).rate)
    return {"relation": said.ADDED, "delta": 0.0, "trees": params["trees"], "epsilon_true": params["trees"] * rate}
