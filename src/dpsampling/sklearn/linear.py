r"""Linear learners of rows with a public norm.

A row x is shrunk to the public bound B and becomes the learner's row (x/B, 1)/√2, or x/B without an intercept, of norm
1 at most; w·row is then coef·x + intercept, with coef = w/(√2 B) and intercept = w_last/√2.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import column_or_1d, validate_data

from dpsampling.errors import InputError
from dpsampling.learners import rows as private_rows
from dpsampling.learners.ada_ssp import AdaSSP
from dpsampling.learners.functional import FunctionalLinear
from dpsampling.learners.gradient_descent import GradientDescent
from dpsampling.learners.losses import HuberHinge, Logistic, Loss
from dpsampling.learners.objective_perturbation import ObjectivePerturbation
from dpsampling.learners.output_perturbation import OutputPerturbation
from dpsampling.numerics.arrays import Array, Indices
from dpsampling.sklearn import public
from dpsampling.sklearn.base import PrivateClassifier, PrivateEstimator


class Linear:
    """The learner's rows, and its weights as a coefficient a feature."""

    norm_bound: Any
    fit_intercept: bool
    coef_: Array
    intercept_: Array

    def _unit(self, rows: Array) -> Array:
        """The learner's rows, none longer than 1."""
        bound = public.norm(self.norm_bound)
        inside = private_rows.within(rows, bound) / bound
        if self.fit_intercept:
            inside = np.hstack([inside, np.ones((len(inside), 1))]) / math.sqrt(2.0)
        return inside

    def _set_weights(self, weights: Array) -> None:
        bound = public.norm(self.norm_bound)
        if self.fit_intercept:
            self.coef_ = weights[:-1] / (math.sqrt(2.0) * bound)
            self.intercept_ = weights[-1:] / math.sqrt(2.0)
        else:
            self.coef_, self.intercept_ = weights / bound, np.zeros(1)

    def _scores(self, rows: Array) -> Array:
        return np.asarray(rows @ self.coef_ + self.intercept_[0])


class LinearClassifier(Linear, PrivateClassifier):
    """A classifier of two classes by the sign of coef·x + intercept."""

    _binary = True

    def _fit(self, rows: Array, codes: Indices, conditions: tuple[str, ...]) -> None:
        unit = self._unit(rows)
        self._set_weights(self._learnt(self._learner(*unit.shape), unit, codes, conditions=conditions).weights)

    @abstractmethod
    def _learner(self, n: int, dimension: int) -> Any:
        """Return what learns from n rows."""

    def decision_function(self, X: Any) -> Array:
        """coef·x + intercept; above 0 for the second class."""
        return self._scores(self._rows(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row."""
        chosen = (self.decision_function(X) > 0.0).astype(np.intp)
        return self.classes_[chosen]


class _LogisticProbabilities(LinearClassifier):
    def predict_proba(self, X: Any) -> Array:
        """Of each row and class."""
        one = 1.0 / (1.0 + np.exp(-np.clip(self.decision_function(X), -700.0, 700.0)))
        return np.column_stack([1.0 - one, one])


def _regularised(estimator: Any, loss: Loss, n: int, dimension: int) -> Any:
    """Noise on the objective or on its minimum."""
    kinds = {"objective": ObjectivePerturbation, "output": OutputPerturbation}
    if estimator.method not in kinds:
        raise InputError(f"method is '{estimator.method}'; it is 'objective' or 'output'.")
    return kinds[estimator.method](loss, n, dimension, 1.0, estimator.regularisation, estimator.epsilon)


@dataclass(eq=False, repr=False)
class PrivateLogisticRegression(_LogisticProbabilities):
    """Logistic regression with noise on its objective or its minimum; ε-DP if a row is replaced, so that n is public.

    Args:
        epsilon: the level ε, above 0 and finite.
        norm_bound: a public number above 0 that no row's norm exceeds; longer rows are shrunk to it.
        classes: the two public labels, or "as in y" if it is public which labels occur.
        regularisation: Λ above 0 in mean loss + Λ‖w‖²/2, of rows with norm 1; one too small for floats is refused.
        method: "objective" for noise on what is minimised, "output" for noise on the minimum.
        fit_intercept: whether there is an intercept; it shrinks rows by √2.
        random_state: None for exact noise that may be released; a seed for experiments.
    """

    epsilon: float = 1.0
    _: KW_ONLY
    norm_bound: float | None = None
    classes: Any = None
    regularisation: float = 1e-3
    method: str = "objective"
    fit_intercept: bool = True
    random_state: Any = None

    def _learner(self, n: int, dimension: int) -> Any:
        return _regularised(self, Logistic(), n, dimension)


@dataclass(eq=False, repr=False)
class PrivateLinearSVC(LinearClassifier):
    """A support vector machine with Huber's hinge, private as `PrivateLogisticRegression` is.

    Args:
        epsilon: the level ε, above 0 and finite.
        norm_bound: a public number above 0 that no row's norm exceeds; longer rows are shrunk to it.
        classes: the two public labels, or "as in y" if it is public which labels occur.
        regularisation: Λ above 0 in mean loss + Λ‖w‖²/2, of rows with norm 1; one too small for floats is refused.
        width: how far the hinge's corner is rounded off, from 2⁻⁵ to 1.
        method: "objective" for noise on what is minimised, "output" for noise on the minimum.
        fit_intercept: whether there is an intercept; it shrinks rows by √2.
        random_state: None for exact noise that may be released; a seed for experiments.
    """

    epsilon: float = 1.0
    _: KW_ONLY
    norm_bound: float | None = None
    classes: Any = None
    regularisation: float = 1e-3
    width: float = 0.5
    method: str = "objective"
    fit_intercept: bool = True
    random_state: Any = None

    def _learner(self, n: int, dimension: int) -> Any:
        return _regularised(self, HuberHinge(self.width), n, dimension)


@dataclass(eq=False, repr=False)
class PrivateGradientDescentClassifier(_LogisticProbabilities):
    """Logistic regression by noisy gradients of secret batches; (ε, δ)-DP.

    Args:
        epsilon: the level ε, above 0 and finite.
        delta: δ, above 0 and below 1.
        norm_bound: a public number above 0 that no row's norm exceeds; longer rows are shrunk to it.
        classes: the two public labels, or "as in y" if it is public which labels occur.
        n_records: a public number near that of the rows, 1 or more.
        batch_size: the mean size of a batch, above 0; from `n_records` on, every row is in each.
        epochs: how often a row is in a batch on average, above 0.
        learning_rate: the length of a step along the mean gradient, above 0.
        fit_intercept: whether there is an intercept; it shrinks rows by √2.
        random_state: None for exact noise that may be released; a seed for experiments.
    """

    epsilon: float = 1.0
    delta: float = 1e-6
    _: KW_ONLY
    norm_bound: float | None = None
    classes: Any = None
    n_records: int | None = None
    batch_size: int = 256
    epochs: float = 10.0
    learning_rate: float = 4.0
    fit_intercept: bool = True
    random_state: Any = None

    def _learner(self, n: int, dimension: int) -> Any:
        del n, dimension  # the first is private here
        records = public.records(self.n_records)
        sampling = min(1.0, self.batch_size / records)
        return GradientDescent.calibrate(
            self.epsilon,
            self.delta,
            bound=1.0,
            records=records,
            sampling=sampling,
            steps=max(1, round(self.epochs / sampling)),
            rate=self.learning_rate,
        )


@dataclass(eq=False, repr=False)
class PrivateLinearRegression(RegressorMixin, Linear, PrivateEstimator):
    """Least squares with noise on its moments; (ε, δ)-DP by AdaSSP, or ε-DP by the functional mechanism at δ = 0.

    Args:
        epsilon: the level ε, above 0 and finite; at most 1e5 where δ is above 0.
        delta: δ, from 0 on and below 1; 0 is the functional mechanism.
        norm_bound: a public number above 0 that no row's norm exceeds; longer rows are shrunk to it.
        target_bounds: (low, high) of y, public; outcomes beyond are clipped, and learnt less the middle.
        fit_intercept: whether there is an intercept; it shrinks rows by √2.
        random_state: None for exact noise that may be released; a seed for experiments.
    """

    epsilon: float = 1.0
    delta: float = 1e-6
    _: KW_ONLY
    norm_bound: float | None = None
    target_bounds: Any = None
    fit_intercept: bool = True
    random_state: Any = None

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from private rows and outcomes; each fit costs the guarantee."""
        rows, outcomes = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        low, high = public.interval("target_bounds", self.target_bounds)
        middle, half = (low + high) / 2.0, (high - low) / 2.0
        unit = self._unit(rows)
        learner = (
            FunctionalLinear(self.epsilon, 1.0, outcome_bound=half)
            if self.delta == 0
            else AdaSSP(self.epsilon, self.delta, 1.0, half)
        )
        centred = column_or_1d(outcomes, warn=True) - middle
        self._set_weights(self._learnt(learner, unit, centred).weights)
        self.intercept_ = self.intercept_ + middle
        return self

    def predict(self, X: Any) -> Array:
        """coef·x + intercept."""
        return self._scores(self._rows(X))
