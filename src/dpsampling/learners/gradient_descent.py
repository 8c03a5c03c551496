r"""Noisy gradient descent for logistic regression (DP review 2019 section 5.9; Abadi et al. 2016, McMahan et al. 2018).

    B       each of the rows with probability q, in secret                                       (Poisson batches)
    g_i     (1/(1 + e^{−x_i·w}) − y_i) x_i,  shortened to ‖g_i‖ ≤ C                               (clipped)
    w  ←  w − η (Σ_{i ∈ B} g_i + N(0, σ²C² I))/(q n̂)                                             T times

The noise is one draw on the **sum**. It is divided by q times a public number n̂, never by the batch's size, which
would tell who is in it. A row more or less moves the sum of g_i/C by 1 at most, another row in its place by 2, and
`sampled_gaussian` has the pair that no neighbours are easier to tell apart than: every w is private together.

In floats, to the last bit: x_i·w is summed for each row alone, so that the other rows do not touch its rounding; g_i/C
is no longer than 1 in exact arithmetic, and its numbers are cut to a grid on which sums are exact (`rows`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from dpsampling.errors import InputError
from dpsampling.learners import accountant, rows, sampled_gaussian
from dpsampling.learners.linear_model import LinearModel
from dpsampling.learners.noise import Learner, Noise
from dpsampling.numerics.arrays import Array, Indices
from dpsampling.numerics.exact.data_dependent import data_dependent
from dpsampling.privacy.guarantee import Approximate, Relation, Renyi
from dpsampling.privacy.rounding import float_above

Accounting = Literal["losses", "renyi"]

MOST_EXACT = 10**6  # numbers that get exact noise: 0.1 ms each
MOST_ROWS = 1 << (53 - rows.GRID)  # whose sum on the grid is exact
LEAST, MOST = 1e-50, 1e50  # lengths and rates
MOST_SCORE = 1e250  # so that no score overflows: what is no number would tell which rows are 0


@dataclass(frozen=True)
class GradientDescent(Learner[LinearModel]):
    """`steps` on batches of rate `sampling`, with noise `sigma`·`clip`, for rows no longer than `bound`.

    `records` is n̂, a public number. `accounting` by privacy losses promises (ε, δ), by Rényi divergence a whole curve,
    which needs no `delta`.
    """

    bound: float
    records: int
    sampling: float
    steps: int
    sigma: float
    delta: float | None = None
    clip: float = 1.0
    rate: float = 1.0
    relation: Relation = Relation.ADD_OR_REMOVE_ONE
    accounting: Accounting = "losses"
    interval: float = accountant.INTERVAL  # of the accountant's grid

    def __post_init__(self) -> None:
        sampled_gaussian.check(self.sampling, self.sigma, self.steps)
        for name in ("bound", "clip", "rate", "interval"):
            value = getattr(self, name)
            if not LEAST <= value <= MOST:
                raise InputError(f"{name} is {value:g}; it must be above 0, between {LEAST:g} and {MOST:g}.")
        if self.accounting not in ("losses", "renyi"):
            raise InputError(f"accounting is '{self.accounting}'; it is 'losses' or 'renyi'.")
        if not self.records >= 1:
            raise InputError(f"records is {self.records:g}; say about how many rows there are, as a public number.")
        if not self.bound * self._step * self.steps * (MOST_ROWS + 100.0 * self.sigma) <= MOST_SCORE:
            raise InputError(
                f"sigma is {self.sigma:g} and sampling {self.sampling:g}: weights may grow beyond all floats; lower "
                "sigma, rate or clip, or raise sampling."
            )
        if self.accounting == "losses" and self.delta is None:
            raise InputError("delta is missing; privacy losses are counted at a δ: give one, or accounting='renyi'.")

    @classmethod
    def calibrate(
        cls,
        epsilon: float,
        delta: float,
        *,
        bound: float,
        records: int,
        sampling: float,
        steps: int,
        clip: float = 1.0,
        rate: float = 1.0,
        relation: Relation = Relation.ADD_OR_REMOVE_ONE,
        interval: float | None = None,
    ) -> Self:
        """With the least σ found that is (ε, δ), on a grid that has a thousand points up to ε unless it is told."""
        if interval is None:
            interval = min(accountant.INTERVAL, epsilon / 1000.0)
        sigma = accountant.sigma_for(epsilon, sampling, steps, delta, relation, interval)
        return cls(bound, records, sampling, steps, sigma, delta, clip, rate, relation, interval=interval)

    @property
    def _step(self) -> float:
        """ηC/(q n̂)."""
        return self.clip * self.rate / (self.sampling * self.records)

    @cached_property
    def _approximate(self) -> Approximate:
        assert self.delta is not None
        conditions = (sampled_gaussian.SECRET,)
        spent = accountant.epsilon(self.sampling, self.sigma, self.steps, self.delta, self.relation, self.interval)
        if math.isinf(spent):
            raise InputError(
                f"delta is {self.delta:g}; the grid of privacy losses leaves out more than that: raise it, or take "
                "accounting='renyi'."
            )
        return Approximate(spent, self.delta, self.relation, conditions)

    @cached_property
    def _renyi(self) -> Renyi:
        return sampled_gaussian.renyi(self.sampling, self.sigma, self.steps, self.relation)

    @property
    def guarantee(self) -> Approximate | Renyi:
        """Of all weights on the way together."""
        return self._renyi if self.accounting == "renyi" else self._approximate

    def release(self, X: ArrayLike, y: ArrayLike, /) -> LinearModel:
        """The last weights, with secret batches and exact noise by the operating system's bits."""
        columns = rows.matrix("features", X).shape[1]
        if self.steps * columns > MOST_EXACT:
            raise InputError(
                f"steps is {self.steps} for {columns} features; exact noise is drawn for {MOST_EXACT} numbers "
                "at most: take fewer steps of larger batches."
            )
        return super().release(X, y)

    def _learn(self, X: ArrayLike, y: ArrayLike, noise: Noise, /) -> LinearModel:
        features = rows.within(rows.matrix("features", X), self.bound)
        labels = rows.labels(y, len(features)).astype(np.float64)
        if len(features) > MOST_ROWS:
            raise InputError(f"there are {len(features)} rows; sums are exact for {MOST_ROWS} at most: take fewer.")
        weights = np.zeros(features.shape[1])
        for _ in range(self.steps):
            batch = _batch(self.sampling, len(features), noise)
            total = clipped_gradients(features[batch], labels[batch], weights, self.clip).sum(axis=0)
            weights = weights - self._step * noise.gaussian(total, self.sigma)
        return LinearModel(weights, self.guarantee, {"sigma": self.sigma, "steps": float(self.steps)})


def clipped_gradients(features: Array, labels: Array, weights: Array, clip: float) -> Array:
    """g_i/C of each row, none longer than 1, on the grid."""
    slopes = (expit(rows.scores(features, weights)) - labels) / clip
    return rows.on_grid(rows.within(features * slopes[:, np.newaxis], 1.0))


@data_dependent("as many coins are tossed as there are rows, one more for a row more")
def _batch(sampling: float, count: int, noise: Noise) -> Indices:
    """Which rows are in it."""
    return np.flatnonzero(noise.coins(sampling, count))


def noise_on_each(sigma: float, batch: int) -> float:
    """σ of the sum if each of `batch` gradients gets noise of its own, rounded up: σ√B."""
    return float_above(Fraction(sigma) * Fraction(math.sqrt(batch)))
