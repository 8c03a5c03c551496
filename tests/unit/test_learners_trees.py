"""Random trees: splits of public ranges, leaves, what a record moves, and both ways to vote."""

import math

import numpy as np
import pytest

from dpsampling.datasets.recipe import Number
from dpsampling.errors import InputError
from dpsampling.learners import random_trees, table_audit_cases
from dpsampling.learners.columns import Columns
from dpsampling.learners.noise import InFloats
from dpsampling.learners.random_trees import RandomTrees, TreesModel
from dpsampling.privacy import laws
from dpsampling.privacy.guarantee import Relation
from planted_designs import DESCRIBED
from planted_designs import cells as rows

COLUMNS = Columns(DESCRIBED, 1)


def walked(forest, tree, row):
    """The leaf of one row, and the ranges on its way, by a loop."""
    ranges, node = [[c.low, c.high] if isinstance(c, Number) else None for c in COLUMNS.described], 0
    for _ in range(forest.depth):
        column = forest.column[tree, node]
        if ranges[column] is None:
            right = forest.right[tree, node, int(row[column])]
        else:
            cut = forest.threshold[tree, node]
            assert ranges[column][0] <= cut <= ranges[column][1]  # of what is left
            right = row[column] >= cut
            ranges[column][0 if right else 1] = cut
        node = 2 * node + 1 + int(right)
    return node - (2**forest.depth - 1)


def test_leaves_are_those_of_a_walk_thresholds_within_what_is_left_and_trees_hang_on_the_seed_alone():
    forest = random_trees.grow(COLUMNS, 3, 6, np.random.default_rng(2))
    cells, _ = rows(200)
    leaves = forest.leaves(cells)
    assert [[walked(forest, t, row) for t in range(3)] for row in cells] == leaves.tolist()
    assert len(np.unique(leaves[:, 0])) > 8
    one, other = (RandomTrees(COLUMNS, 2, epsilon, seed=7, depth=4) for epsilon in (0.1, 5.0))
    assert np.array_equal(one.forest.threshold, other.forest.threshold)
    assert not np.array_equal(one.forest.threshold, RandomTrees(COLUMNS, 2, 0.1, seed=8, depth=4).forest.threshold)


@pytest.mark.parametrize("relation", list(Relation)[:2])
def test_no_neighbour_moves_more_counts_than_is_promised_and_some_as_many(relation):
    learner = RandomTrees(COLUMNS, 2, 1.0, seed=1, trees=5, depth=4, relation=relation)
    cells, labels = rows(60)
    alone = [random_trees.count(learner.forest.leaves(cells[i : i + 1]), labels[i : i + 1], 4, 2) for i in range(60)]
    if relation is Relation.REPLACE_ONE:
        gaps = [np.abs(a - b).sum() for a in alone for b in alone]
    else:
        gaps = [a.sum() for a in alone]
    assert max(gaps) == learner.moved
    assert np.array_equal(random_trees.count(learner.forest.leaves(cells), labels, 4, 2), np.sum(alone, axis=0))


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_the_promise_is_spent_and_noise_for_one_tree_breaks_it(epsilon):
    (case,) = table_audit_cases.trees(2.0, epsilon)
    slip = case.slips["the noise of one tree"]()
    for worlds, spent in ((case.laws, epsilon), (slip, 2.0 * epsilon)):
        worst = max(laws.max_divergence(worlds[p], worlds[q]) for p, q in case.neighbours)
        assert worst == pytest.approx(spent, rel=1e-9)


def test_votes_by_hand():
    forest = random_trees.grow(COLUMNS, 2, 1, np.random.default_rng(3))
    counts = np.array([[[9, 1], [0, 0]], [[1, 3], [-4, 2]]])
    leaves = np.array([[0, 0], [1, 1], [0, 1]])
    sums = TreesModel(forest, counts, "sums", None).probabilities_at(leaves)
    assert sums.tolist() == [pytest.approx(p) for p in ([10 / 14, 4 / 14], [0, 1], [9 / 12, 3 / 12])]
    shares = TreesModel(forest, counts, "shares", None).probabilities_at(leaves)
    assert shares.tolist() == [pytest.approx(p) for p in ([0.575, 0.425], [0.25, 0.75], [0.45, 0.55])]


def test_noise_has_the_promised_scale_and_that_of_one_tree_is_seen():
    """6 standard errors of 40 960 counts: by chance beyond with probability 2e-9."""
    learner = RandomTrees(COLUMNS, 2, 10.0, seed=1, trees=10, depth=11)
    noise = learner.added(np.zeros((10, 2048, 2), dtype=np.int64), InFloats(np.random.default_rng(6)))
    for rate, near in ((1.0, True), (10.0, False)):
        share = 2 * math.exp(-rate) / (1 + math.exp(-rate))  # Pr(|z| ≥ 1)
        assert bool(abs(np.mean(noise != 0) - share) < 6 * math.sqrt(0.25 / noise.size)) is near


def test_fit_and_release_learn_what_there_is_to_learn():
    cells, labels = rows(3000)
    learner = RandomTrees(COLUMNS, 2, 5.0, seed=1, trees=8, depth=5)
    for learned in (learner.fit(cells, labels, np.random.default_rng(1)), learner.release(cells, labels)):
        assert np.mean(learned.predict(cells) == labels) > 0.75
        assert learned.guarantee == learner.guarantee


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"epsilon": 0.0}, "epsilon is 0"),
        ({"epsilon": 1e-18}, "epsilon is too small"),
        ({"trees": 0}, "trees is 0"),
        ({"depth": 0.5}, "depth is 0.5"),
        ({"depth": 30}, "depth is 30 for 10 trees"),
        ({"vote": "all"}, "vote is 'all'"),
        ({"relation": Relation.ADJACENT_PROFILES}, "relation is 'replace a profile"),
        ({"classes": 1}, "classes is 1"),
    ],
)
def test_bad_input_is_one_sentence(changes, words):
    with pytest.raises(InputError, match=words):
        RandomTrees(**{"columns": COLUMNS, "classes": 2, "epsilon": 1.0, "seed": 1} | changes)
