"""Classifiers of tables with public columns: naive Bayes, random trees, boosted bins."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpsampling.learners import boosted_bins, naive_bayes, random_trees
from dpsampling.learners.columns import Columns
from dpsampling.sklearn import public
from dpsampling.sklearn.base import PrivateClassifier


class TableClassifier(PrivateClassifier):
    """A classifier of cells: numbers within public bounds, and codes 0, 1, … of categories."""

    bounds: Any
    columns: Any
    bins: int
    _model: Any

    def _fit(self, rows: NDArray[np.float64], codes: NDArray[np.intp], conditions: tuple[str, ...]) -> None:
        learner = self._learner(public.columns(self.columns, self.bounds, rows.shape[1], self.bins))
        self._model = self._learnt(learner, rows, codes, conditions=conditions)

    @abstractmethod
    def _learner(self, columns: Columns) -> Any:
        """Return what learns from such columns."""

    def predict(self, X: Any) -> NDArray[Any]:
        """The likeliest class of each row."""
        rows = self._rows(X)  # which asks first whether there is a model
        return self.classes_[self._model.predict(rows)]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Of each row and class."""
        rows = self._rows(X)
        return self._model.probabilities(rows)


@dataclass(eq=False, repr=False)
class PrivateNaiveBayes(TableClassifier):
    """Naive Bayes from noisy counts in public bins; pure ε-DP, or (ε, δ)-DP by Gaussian noise where δ is above 0.

    Args:
        epsilon: the level ε, above 0 and finite; at most 1e5 where δ is above 0.
        delta: δ, from 0 on and below 1.
        bounds: (low, high), public, for all features or arrays of each; values beyond are clipped to them.
        columns: a Number or Category for each feature, instead of `bounds`.
        classes: two public labels or more, or "as in y" if it is public which labels occur.
        bins: how many bins of equal width a number has between its bounds, 1 or more.
        random_state: None for exact noise that may be released; a seed for experiments.
    """

    epsilon: float = 1.0
    _: KW_ONLY
    delta: float = 0.0
    bounds: Any = None
    columns: Any = None
    classes: Any = None
    bins: int = 16
    random_state: Any = None

    def _learner(self, columns: Columns) -> Any:
        if self.delta == 0:
            return naive_bayes.NaiveBayes(columns, self.classes_.size, self.epsilon)
        return naive_bayes.GaussianNaiveBayes(columns, self.classes_.size, self.epsilon, self.delta)


@dataclass(eq=False, repr=False)
class PrivateRandomTrees(TableClassifier):
    """Trees of random splits, which see no row, and noisy counts of the classes in every leaf; ε-DP.

    Args:
        epsilon: the level ε, above 0 and finite.
        bounds: (low, high), public, for all features or arrays of each; values beyond are clipped to them.
        columns: a Number or Category for each feature, instead of `bounds`.
        classes: two public labels or more, or "as in y" if it is public which labels occur.
        n_estimators: how many trees, 1 or more.
        max_depth: the depth of each, 1 or more; there are at most 2²² leaves in all.
        trees_seed: the seed of the splits, which are public, and of no noise.
        random_state: None for exact noise that may be released; a seed for experiments.
    """

    bins = 1  # a threshold is anywhere between the bounds

    epsilon: float = 1.0
    _: KW_ONLY
    bounds: Any = None
    columns: Any = None
    classes: Any = None
    n_estimators: int = 10
    max_depth: int = 10
    trees_seed: int = 0
    random_state: Any = None

    def _learner(self, columns: Columns) -> Any:
        return random_trees.RandomTrees(
            columns, self.classes_.size, self.epsilon, self.trees_seed, self.n_estimators, self.max_depth
        )


@dataclass(eq=False, repr=False)
class PrivateBoostedBins(TableClassifier):
    """A sum of one shape a feature, by boosting in public bins with Gaussian noise; two classes, (ε, δ)-DP.

    Args:
        epsilon: the level ε, from 0 to 1e5.
        delta: δ, above 0 and below 1.
        bounds: (low, high), public, for all features or arrays of each; values beyond are clipped to them.
        columns: a Number or Category for each feature, instead of `bounds`.
        classes: the two public labels, or "as in y" if it is public which labels occur.
        bins: how many bins of equal width a number has between its bounds, 1 or more.
        rounds: how often each feature is boosted, 1 or more.
        rate: the length of a step, above 0 and at most 16.
        segments_seed: the seed of the segments that bins are boosted in, which are public, and of no noise.
        random_state: None for exact noise that may be released; a seed for experiments.
    """

    _binary = True

    epsilon: float = 1.0
    delta: float = 1e-6
    _: KW_ONLY
    bounds: Any = None
    columns: Any = None
    classes: Any = None
    bins: int = 32
    rounds: int = 10
    rate: float = 1.0
    segments_seed: int = 0
    random_state: Any = None

    def _learner(self, columns: Columns) -> Any:
        steps = boosted_bins.Steps(self.segments_seed, rounds=self.rounds, rate=self.rate)
        return boosted_bins.BoostedBins(columns, self.epsilon, self.delta, steps)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Of each row and class."""
        one = super().predict_proba(X)
        return np.column_stack([1.0 - one, one])
