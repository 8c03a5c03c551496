"""k means of rows with a public norm."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import ClusterMixin
from sklearn.utils.validation import validate_data

from dpsampling.learners.lloyd import spread_starts
from dpsampling.learners.noisy_lloyd import NoisyLloyd
from dpsampling.numerics.arrays import Indices
from dpsampling.sklearn import public
from dpsampling.sklearn.base import PrivateEstimator


@dataclass(eq=False, repr=False)
class PrivateKMeans(ClusterMixin, PrivateEstimator):
    """Lloyd's iteration on noisy counts and sums; ε-DP, or (ε, δ)-DP where δ is above 0.

    It starts from `init`, public centres, or from points that `starts_seed` spreads over the ball of the bound, and
    that see no row. `labels_` are of the rows that were fitted and as private as these: they are not what is released.

    Args:
        n_clusters: how many centres are spread, 1 or more; with `init`, there are as many as that has.
        epsilon: the level ε, above 0 and finite; at most 1e5 where δ is above 0.
        delta: δ, from 0 on and below 1; 0 is Laplace noise, and others Gaussian.
        norm_bound: a public number above 0 that no row's norm exceeds; longer rows are shrunk to it.
        init: public centres, a row of finite numbers each.
        rounds: how many iterations, 1 or more; all of them are paid for.
        starts_seed: the seed of the public starts, and of no noise.
        random_state: None for exact noise that may be released; a seed for experiments.
    """

    n_clusters: int = 8
    epsilon: float = 1.0
    _: KW_ONLY
    delta: float = 0.0
    norm_bound: float | None = None
    init: Any = None
    rounds: int = 5
    starts_seed: int = 0
    random_state: Any = None

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from private rows; each fit costs the guarantee."""
        del y
        rows = validate_data(self, X, dtype=np.float64)
        bound = public.norm(self.norm_bound)
        if self.init is None:
            starts = spread_starts(self.n_clusters, rows.shape[1], bound, np.random.default_rng(self.starts_seed))
        else:
            starts = np.asarray(self.init, dtype=np.float64)
        learner = NoisyLloyd(starts, bound, self.epsilon, self.delta, self.rounds)
        self._model = self._learnt(learner, rows)
        self.cluster_centers_ = self._model.centres
        self.labels_ = self._model.predict(rows)
        return self

    def predict(self, X: Any) -> Indices:
        """The number of the nearest centre of each row."""
        rows = self._rows(X)  # which asks first whether there is a model
        return self._model.predict(rows)
