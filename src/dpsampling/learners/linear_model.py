"""What linear learners give: weights w, whose score of a row x is x·w."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.learners import rows
from dpsampling.numerics.arrays import Array, Indices
from dpsampling.privacy.guarantee import Guarantee


class ScoredModel(ABC):
    """Two classes, told apart by a score."""

    @abstractmethod
    def scores(self, features: ArrayLike, /) -> Array:
        """Return the score of each row."""

    def predict(self, features: ArrayLike) -> Indices:
        """1 where the score is above 0, else 0."""
        return (self.scores(features) > 0.0).astype(np.intp)

    def probabilities(self, features: ArrayLike) -> Array:
        """Of label 1, for logistic learners: 1/(1 + e^{−f}), f the score."""
        return np.asarray(1.0 / (1.0 + np.exp(-np.clip(self.scores(features), -700.0, 700.0))))


@dataclass(frozen=True, eq=False)
class LinearModel(ScoredModel):
    """Weights, what they cost, and public diagnostics of how they were found."""

    weights: Array
    guarantee: Guarantee | None  # none without privacy
    diagnostics: Mapping[str, float] = field(default_factory=dict)

    def scores(self, features: ArrayLike, /) -> Array:
        """x·w of each row."""
        return np.asarray(rows.matrix("features", features, self.weights.size) @ self.weights)
