r"""Naive Bayes from noisy counts: P(Y = y | x) ∝ P(Y = y) ∏ P(X_i = x_i | Y = y) (DP review 2019 section 5.8).

Counted are c_i(x, y), the records of class y with value x of attribute i, and, if asked for, the records n_y of each
class. A record more or less moves one cell of each of the m tables by 1, and one n_y: t = m + 1 counts, or t = m
without the classes' own, whose sizes are then the means of the tables' sums. So neighbours' counts differ by at most

    add or remove one       t in L1,       √t in L2
    replace one             2t in L1,      √(2t) in L2

each attained by records that agree in nothing, and noise on all counts is

    NaiveBayes              ε-DP:      Pr(z) ∝ e^{−(ε/κ₁)|z − c|} on the whole numbers, κ₁ the distance in L1
    GaussianNaiveBayes      (ε, δ):    N(c, σ²), σ = κ₂/μ(ε, δ) by the exact curve of Gaussian differential privacy

What is divided is noisy already: P(x | y) = (c⁺ + s)/Σ(c⁺ + s) with c⁺ = max(c, 0) and a public s. So no noise has a
scale that hangs on a class's size, which would tell it.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpsampling.errors import InputError
from dpsampling.foundations.noise import GaussianMechanism
from dpsampling.learners import rows
from dpsampling.learners.columns import Codes, Columns
from dpsampling.learners.moments import check_relation
from dpsampling.learners.noise import Learner, Noise, check_rate
from dpsampling.numerics.arrays import Array, Indices, Integers
from dpsampling.numerics.enclosure import Enclosure
from dpsampling.privacy.gaussian_dp import root_above
from dpsampling.privacy.guarantee import Approximate, Guarantee, Pure, Relation


class Counts(NamedTuple):
    """Of private rows: n_y of each class, and c(x, y) of each class at each place of the columns."""

    classes: Integers
    tables: Integers


@dataclass(frozen=True, eq=False)
class BayesModel:
    """Logarithms of P(Y = y) and, at each place of the columns, of P(X_i = x_i | Y = y), and what they cost."""

    columns: Columns
    log_classes: Array
    log_tables: Array
    guarantee: Guarantee | None  # none without privacy

    def scores(self, cells: ArrayLike) -> Array:
        """ln P(Y = y) ∏ P(x_i | y) of each row and class."""
        return self.scores_at(self.columns.placed(cells))

    def scores_at(self, places: Codes) -> Array:
        """The same of rows whose places are known."""
        by_place = np.ascontiguousarray(self.log_tables.T)
        return self.log_classes + sum(by_place[column] for column in places.T)

    def predict(self, cells: ArrayLike) -> Indices:
        """The likeliest class."""
        return np.asarray(self.scores(cells).argmax(axis=1))

    def probabilities(self, cells: ArrayLike) -> Array:
        """P(Y = y | x)."""
        scores = self.scores(cells)
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))


class CountingBayes(Learner[BayesModel]):
    """What both kinds of noise have in common: shares of the counts that they are added to."""

    columns: Columns
    classes: int
    smoothing: float

    @property
    @abstractmethod
    def guarantee(self) -> Pure | Approximate:
        """Return what the noise is for."""

    def _learn(self, cells: ArrayLike, labels: ArrayLike, noise: Noise, /) -> BayesModel:
        return self.noisy(count(self.columns, self.classes, cells, labels), noise)

    def noisy(self, counts: Counts, noise: Noise) -> BayesModel:
        """The model of these counts, with noise on each."""
        classes, tables = self.added(counts, noise)
        return model(self.columns, classes, tables, self.smoothing, self.guarantee)

    @abstractmethod
    def added(self, counts: Counts, noise: Noise) -> tuple[NDArray[Any] | None, NDArray[Any]]:
        """The counts of the classes, if they are asked for, and of the tables, with noise."""


@dataclass(frozen=True)
class NaiveBayes(CountingBayes):
    """Whole-number noise on the counts of classes and tables."""

    columns: Columns
    classes: int
    epsilon: float
    relation: Relation = Relation.ADD_OR_REMOVE_ONE
    counts_classes: bool = True
    smoothing: float = 1.0

    def __post_init__(self) -> None:
        check_classes(self.classes)
        check_relation(self.relation)
        check_smoothing(self.smoothing)
        if not 0 < self.epsilon < math.inf:
            raise InputError(f"epsilon is {self.epsilon:g}; it must be above 0 and finite.")
        check_rate(self.rate)

    @property
    def moved(self) -> int:
        """κ₁, by how much neighbours' counts differ in L1."""
        return moved(self.columns, self.counts_classes, self.relation)

    @property
    def rate(self) -> Fraction:
        """ε/κ₁."""
        return Fraction(self.epsilon) / self.moved

    @property
    def guarantee(self) -> Pure:
        """ε-DP, to the last digit."""
        return Pure(self.epsilon, self.relation, (), lambda: Enclosure(self.epsilon, self.epsilon))

    def added(self, counts: Counts, noise: Noise) -> tuple[Integers | None, Integers]:
        """The counts of the classes, if they are asked for, and of the tables, with noise."""
        classes = noise.geometric(counts.classes, self.rate) if self.counts_classes else None
        return classes, noise.geometric(counts.tables, self.rate)


@dataclass(frozen=True)
class GaussianNaiveBayes(CountingBayes):
    """Gaussian noise on the counts of the tables, and of the classes if asked for."""

    columns: Columns
    classes: int
    epsilon: float
    delta: float
    relation: Relation = Relation.ADD_OR_REMOVE_ONE
    counts_classes: bool = False
    smoothing: float = 1.0

    def __post_init__(self) -> None:
        check_classes(self.classes)
        check_relation(self.relation)
        check_smoothing(self.smoothing)
        self.mechanism  # noqa: B018  # a level that no noise keeps is refused here

    @property
    def mechanism(self) -> GaussianMechanism:
        """Noise for √κ₁ in L2, as every count moves by 1."""
        root = root_above(Fraction(moved(self.columns, self.counts_classes, self.relation)))
        return GaussianMechanism.analytic(root, self.epsilon, self.delta, relation=self.relation)

    @property
    def guarantee(self) -> Approximate:
        """(ε, δ), by the exact curve."""
        return Approximate(self.epsilon, self.delta, self.relation)

    def added(self, counts: Counts, noise: Noise) -> tuple[Array | None, Array]:
        """The counts of the classes, if they are asked for, and of the tables, with noise."""
        sigma = self.mechanism.sigma
        classes = noise.gaussian(counts.classes.astype(np.float64), sigma) if self.counts_classes else None
        return classes, noise.gaussian(counts.tables.astype(np.float64), sigma)


def count(columns: Columns, classes: int, cells: ArrayLike, labels: ArrayLike) -> Counts:
    """The counts of private rows, without noise."""
    places = columns.placed(cells)
    known = rows.labels(labels, len(places), classes)
    flat = known[:, None] * columns.places + places
    tables = np.bincount(flat.ravel(), minlength=classes * columns.places).reshape(classes, columns.places)
    return Counts(np.bincount(known, minlength=classes).astype(np.int64), tables.astype(np.int64))


def moved(columns: Columns, counts_classes: bool, relation: Relation) -> int:
    """How many counts a neighbour moves, each by 1: their distance in L1, and its square in L2."""
    return (columns.count + counts_classes) * (2 if relation is Relation.REPLACE_ONE else 1)


def model(
    columns: Columns,
    classes: NDArray[np.generic] | None,
    tables: NDArray[np.generic],
    s: float,
    guarantee: Guarantee | None,
) -> BayesModel:
    """Shares of counts, noisy or not; without counts of classes, their sizes are the means of the tables' sums."""
    exact = np.asarray(tables, dtype=np.float64)
    sizes = exact.sum(axis=1) / columns.count if classes is None else np.asarray(classes, dtype=np.float64)
    parts = np.split(np.maximum(exact, 0.0) + s, columns.starts[1:], axis=1)
    log_tables = np.hstack([np.log(part / part.sum(axis=1, keepdims=True)) for part in parts])
    kept = np.maximum(sizes, 0.0) + s
    return BayesModel(columns, np.log(kept / kept.sum()), log_tables, guarantee)


def check_classes(classes: int) -> None:
    """Two public classes or more."""
    if not (classes >= 2 and float(classes).is_integer()):
        raise InputError(f"classes is {classes:g}; there must be a whole number of public classes, 2 or more.")


def check_smoothing(smoothing: float) -> None:
    """Above 0, so that no logarithm is of 0."""
    if not 0 < smoothing < math.inf:
        raise InputError(f"smoothing is {smoothing:g}; it must be above 0 and finite.")
