"""What all estimators share: the source of noise, and a guarantee that says what it rests on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from dpsampling.learners.naive_bayes import check_classes
from dpsampling.privacy.guarantee import Approximate, Guarantee, Pure
from dpsampling.sklearn import public

SEEDED = "nobody knows random_state, whose noise is in floats; without it noise is exact, by the system's own bits"
WORDS = 4  # of 32 bits, that a generator is made of


class Model(Protocol):
    """What a learner gives, a frozen dataclass."""

    @property
    def guarantee(self) -> Guarantee | None:
        """Return what it cost."""


AnyModel = TypeVar("AnyModel", bound=Model)


class PrivateEstimator(BaseEstimator):
    """An estimator whose `random_state` is None for releases, or a number for experiments."""

    random_state: Any
    guarantee_: Pure | Approximate

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = self.random_state is None
        return tags

    def _learnt(self, learner: Any, *data: Any, conditions: tuple[str, ...] = ()) -> Any:
        """The learner's model of the data, whose guarantee becomes the estimator's."""
        if self.random_state is None:
            model = learner.release(*data)
        else:
            words = check_random_state(self.random_state).randint(2**32, size=WORDS, dtype=np.uint32)
            model = learner.fit(*data, np.random.default_rng(words))
            conditions = (SEEDED, *conditions)
        self.guarantee_ = stated(model.guarantee, conditions)
        return replace(model, guarantee=self.guarantee_)

    def _rows(self, X: Any) -> NDArray[np.float64]:
        """Rows to predict for."""
        check_is_fitted(self)
        return validate_data(self, X, dtype=np.float64, reset=False)


class PrivateClassifier(ClassifierMixin, PrivateEstimator, ABC):
    """A classifier of public `classes`."""

    classes: Any
    classes_: NDArray[Any]
    _binary = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = not self._binary
        return tags

    def _checked(self, X: Any, y: Any) -> tuple[NDArray[np.float64], NDArray[np.intp], tuple[str, ...]]:
        """Rows, the codes of their labels, and what is said of the classes."""
        rows, labels = validate_data(self, X, y, dtype=np.float64)
        labels = column_or_1d(labels, warn=True)
        check_classification_targets(labels)
        self.classes_ = public.classes(self.classes, labels)
        check_classes(self.classes_.size)
        if self._binary and self.classes_.size > 2:
            raise ValueError(
                f"Only binary classification is supported by {type(self).__name__}; there are {self.classes_.size} "
                "classes: declare two of them, and leave the others' rows out."
            )
        as_in_y = isinstance(self.classes, str)
        return rows, public.codes(labels, self.classes_), (public.OCCUR,) if as_in_y else ()

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from private rows and labels; each fit costs the guarantee.

        Args:
            X: a row of finite numbers for each record.
            y: the label of each record, one of the public classes.
        """
        rows, codes, conditions = self._checked(X, y)
        self._fit(rows, codes, conditions)
        return self

    @abstractmethod
    def _fit(self, rows: NDArray[np.float64], codes: NDArray[np.intp], conditions: tuple[str, ...]) -> None:
        """Learn from checked rows."""


def stated(guarantee: Any, conditions: tuple[str, ...]) -> Pure | Approximate:
    """A guarantee with more conditions, as a plain value that can be stored."""
    whole = replace(guarantee, conditions=(*guarantee.conditions, *conditions))
    return replace(whole, enclosed=None) if isinstance(whole, Pure) else whole
