r"""Trees of random splits, and noisy counts of the classes in every leaf (DP review 2019 section 5.3).

Each of m trees splits the space of public cells at random, and not by the rows: a node of depth below D takes a column;
a number is split at a threshold that is uniform on what is left of its public range, a category by a fair coin for each
of its levels. A record is in one leaf of each tree, so that its class's count moves by 1 in m leaves:

    add or remove one       m in L1
    replace one             2m in L1, attained by records of two classes

and Pr(z) ∝ e^{−(ε/κ₁)|z − c|} on the whole numbers, for every leaf, empty or not, and every class, is ε-DP. The trees
are drawn from a public seed: they are part of what is released, and tell nothing.

With the leaves j_i of a row x and counts c⁺ = max(c, 0), the classes' probabilities are one of

    sums        Σ_i c⁺_{i j_i k} / Σ_k Σ_i c⁺_{i j_i k}           as printed (with the upper limit N for m)
    shares      (1/m) Σ_i c⁺_{i j_i k} / Σ_k c⁺_{i j_i k}         one vote a tree; alike for all k in an empty leaf
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.datasets.recipe import Number
from dpsampling.errors import InputError
from dpsampling.learners import rows
from dpsampling.learners.columns import Columns
from dpsampling.learners.moments import check_relation
from dpsampling.learners.naive_bayes import check_classes
from dpsampling.learners.noise import Learner, Noise, check_rate
from dpsampling.numerics.arrays import Array, Booleans, Indices, Integers
from dpsampling.numerics.enclosure import Enclosure
from dpsampling.privacy.guarantee import Guarantee, Pure, Relation

Vote = Literal["sums", "shares"]

MOST_LEAVES = 2**22  # of all trees


@dataclass(frozen=True, eq=False)
class Forest:
    """Complete trees whose node v has the children 2v + 1 and 2v + 2; columns, thresholds, and levels that go right."""

    columns: Columns
    depth: int
    column: Indices  # of each tree and node
    threshold: Array
    right: Booleans  # of each tree, node and level

    @property
    def trees(self) -> int:
        """m."""
        return len(self.column)

    def leaves(self, cells: Array) -> Indices:
        """The leaf of each row in each tree, 0 … 2^D − 1."""
        numeric, count = np.array(self.columns.numeric), self.columns.count
        values, levels = cells.ravel(), np.where(numeric, 0, cells).astype(np.intp).ravel()
        found = np.empty((len(cells), self.trees), dtype=np.intp)
        first = count * np.arange(len(cells))  # of each row's cells
        for tree, (columns, thresholds, right) in enumerate(zip(self.column, self.threshold, self.right, strict=True)):
            node = np.zeros(len(cells), dtype=np.intp)
            for _ in range(self.depth):
                column = columns[node]
                at = first + column
                above = values[at] >= thresholds[node]
                chosen = right.ravel()[node * right.shape[1] + levels[at]]
                node = 2 * node + 1 + np.where(numeric[column], above, chosen)
            found[:, tree] = node - (2**self.depth - 1)
        return found


def grow(columns: Columns, trees: int, depth: int, rng: np.random.Generator) -> Forest:
    """Random splits of public ranges, a level of all trees at a time."""
    nodes, most = 2**depth - 1, max(columns.sizes)
    column = rng.integers(columns.count, size=(trees, nodes))
    right = rng.random((trees, nodes, most)) < 0.5
    threshold = np.zeros((trees, nodes))
    ranges = [(c.low, c.high) if isinstance(c, Number) else (0.0, 1.0) for c in columns.described]
    low, high = (np.tile(ends, (trees, 1, 1)) for ends in np.array(ranges).T)
    for level in range(depth):
        here = slice(2**level - 1, 2 ** (level + 1) - 1)
        mine = column[:, here, None]
        least, most_here = np.take_along_axis(low, mine, 2), np.take_along_axis(high, mine, 2)
        cut = least + (most_here - least) * rng.random(mine.shape)
        threshold[:, here] = cut[..., 0]
        low, high = np.repeat(low, 2, axis=1), np.repeat(high, 2, axis=1)
        np.put_along_axis(high[:, ::2], mine, cut, 2)
        np.put_along_axis(low[:, 1::2], mine, cut, 2)
    return Forest(columns, depth, column, threshold, right)


@dataclass(frozen=True, eq=False)
class TreesModel:
    """Noisy counts of each tree, leaf and class, and what they cost."""

    forest: Forest
    counts: Integers
    vote: Vote
    guarantee: Guarantee | None  # none without privacy

    def probabilities(self, cells: ArrayLike) -> Array:
        """Of each row and class."""
        return self.probabilities_at(self.forest.leaves(self.forest.columns.cells(cells)))

    def probabilities_at(self, leaves: Indices) -> Array:
        """The same of rows whose leaves are known."""
        kept = np.maximum(self.counts, 0).astype(np.float64)
        if self.vote == "shares":
            kept = shares(kept) / self.forest.trees
        summed = sum(kept[tree, leaf] for tree, leaf in enumerate(leaves.T))
        return shares(np.asarray(summed))

    def predict(self, cells: ArrayLike) -> Indices:
        """The likeliest class."""
        return np.asarray(self.probabilities(cells).argmax(axis=1))


def shares(counts: Array) -> Array:
    """Of each class, along the last axis; alike where there are none."""
    total = counts.sum(axis=-1, keepdims=True)
    return np.divide(counts, total, out=np.full_like(counts, 1.0 / counts.shape[-1]), where=total > 0.0)


@dataclass(frozen=True)
class RandomTrees(Learner[TreesModel]):
    """Whole-number noise on the classes of every leaf."""

    columns: Columns  # whose bins are not used: a threshold is anywhere in a range
    classes: int
    epsilon: float
    seed: int  # public, of the trees
    trees: int = 10
    depth: int = 10
    vote: Vote = "shares"
    relation: Relation = Relation.ADD_OR_REMOVE_ONE

    def __post_init__(self) -> None:
        check_classes(self.classes)
        check_relation(self.relation)
        if not 0 < self.epsilon < math.inf:
            raise InputError(f"epsilon is {self.epsilon:g}; it must be above 0 and finite.")
        for name, value in (("trees", self.trees), ("depth", self.depth)):
            if not (value >= 1 and float(value).is_integer()):
                raise InputError(f"{name} is {value:g}; it must be a whole number, 1 or more.")
        if self.trees * 2.0**self.depth > MOST_LEAVES:
            raise InputError(
                f"depth is {self.depth} for {self.trees} trees; lower it, to {MOST_LEAVES} leaves at most."
            )
        if self.vote not in ("sums", "shares"):
            raise InputError(f"vote is '{self.vote}'; it is either sums or shares.")
        check_rate(self.rate)

    @property
    def moved(self) -> int:
        """κ₁, by how much neighbours' counts differ in L1."""
        return self.trees * (2 if self.relation is Relation.REPLACE_ONE else 1)

    @property
    def rate(self) -> Fraction:
        """ε/κ₁."""
        return Fraction(self.epsilon) / self.moved

    @property
    def guarantee(self) -> Pure:
        """ε-DP, to the last digit."""
        return Pure(self.epsilon, self.relation, (), lambda: Enclosure(self.epsilon, self.epsilon))

    @cached_property
    def forest(self) -> Forest:
        """The public trees."""
        return grow(self.columns, self.trees, self.depth, np.random.default_rng(self.seed))

    def noisy(self, counts: Integers, noise: Noise) -> TreesModel:
        """The model of these counts, with noise on each."""
        return TreesModel(self.forest, self.added(counts, noise), self.vote, self.guarantee)

    def added(self, counts: Integers, noise: Noise) -> Integers:
        """The counts with noise."""
        return noise.geometric(counts, self.rate)

    def _learn(self, cells: ArrayLike, labels: ArrayLike, noise: Noise, /) -> TreesModel:
        known = self.columns.cells(cells)
        counts = count(
            self.forest.leaves(known), rows.labels(labels, len(known), self.classes), self.depth, self.classes
        )
        return self.noisy(counts, noise)


def count(leaves: Indices, labels: Indices, depth: int, classes: int) -> Integers:
    """Of each tree, leaf and class, without noise."""
    trees = leaves.shape[1]
    flat = ((np.arange(trees) * 2**depth + leaves) * classes + labels[:, None]).ravel()
    counted = np.bincount(flat, minlength=trees * 2**depth * classes)
    return counted.reshape(trees, 2**depth, classes).astype(np.int64)
