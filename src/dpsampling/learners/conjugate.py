r"""The Dirichlet posterior of categories that come in T batches, private (DP review 2019 section 5.1).

A record is one of K categories, in one batch. Without privacy the t-th closed-form update is

    α_t = α_{t−1} + counts of batch t,        α₀ the prior; K = 2 is Beta and Bernoulli.

The review has noise at each update or on the trained model, and no formula. Neighbours are one record more or less, so
counts differ by 1 in L1; noise is two-sided geometric, Pr(y) ∝ e^{−r|y|}, with variance v(r) = 2e^{−r}/(1 − e^{−r})²:

    on the trained model    noise of rate ε on the counts of all batches: α_T alone, variance v(ε)
    at each update          noise of rate ε on the counts of each batch. They are disjoint, so all T updates are ε-DP
                            together (parallel composition), and α_t has t v(ε): √T times the deviation at the end
    by a tree               levels l < h of nodes of bˡ batches each, b^h ≥ T, every count with noise of rate ε/h: a
                            record is in one node a level. α_t is a sum of as many nodes as the digits of t in base b
                            add up to (the first digit may be b): c(t) v(ε/h)

The second is the tree with b = T, and the binary one (Dwork, Naor, Pitassi and Rothblum 2010; Chan, Shi and Song 2011)
that with b = 2. v(ε/h) ≈ 2h²/ε², so a few wide levels serve better than many narrow ones: the mean variance is
v(ε)(T + 1)/2 for one level, about 4v(ε)√T for two. `best_fan_out` takes the least, by T and ε alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpsampling.errors import InputError
from dpsampling.learners import rows
from dpsampling.learners.noise import Learner, Noise, check_rate
from dpsampling.mechanisms.calibration import check_epsilons
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.enclosure import Enclosure
from dpsampling.privacy.guarantee import Pure, Relation

Counts = NDArray[np.int64]

MOST_UPDATES = 2**20
CONDITIONS = ("each record is one category, in one batch that hangs on no other record",)


@dataclass(frozen=True, eq=False)
class PosteriorModel:
    """Noisy running counts, a row an update (one row, if noise is on the trained model alone)."""

    prior: Array
    counts: Counts
    guarantee: Pure

    @property
    def parameters(self) -> Array:
        """α of each row; no entry is less than the prior's."""
        return np.asarray(self.prior + np.maximum(self.counts, 0))

    @property
    def means(self) -> Array:
        """The posterior means of the categories' probabilities."""
        return np.asarray(self.parameters / self.parameters.sum(axis=1, keepdims=True))


@dataclass(frozen=True, eq=False)
class NoisyDirichlet(Learner[PosteriorModel]):
    """Dirichlet(`prior`) updated `updates` times, by a tree of this fan-out; with none only the last α is released."""

    prior: Array
    updates: int
    epsilon: float
    fan_out: int | None

    def __post_init__(self) -> None:
        prior = np.asarray(self.prior, dtype=np.float64)
        if prior.ndim != 1 or prior.size < 2 or not (np.isfinite(prior) & (prior > 0)).all():
            raise InputError("prior must be two finite numbers above 0 or more, one for each public category.")
        object.__setattr__(self, "prior", prior)
        check_epsilons(self.epsilon)
        object.__setattr__(self, "updates", check_updates(self.updates))
        most = max(2, self.updates)
        if self.fan_out is not None and not (2 <= self.fan_out <= most and float(self.fan_out).is_integer()):
            raise InputError(f"fan_out is {self.fan_out:g}; it must be a whole number from 2 to {most}.")
        object.__setattr__(self, "fan_out", None if self.fan_out is None else int(self.fan_out))
        check_rate(self.rate)

    @classmethod
    def at_the_end(cls, prior: ArrayLike, *, updates: int, epsilon: float) -> Self:
        """Noise on the trained model."""
        return cls(np.asarray(prior, dtype=np.float64), updates, epsilon, None)

    @classmethod
    def at_each_update(cls, prior: ArrayLike, *, updates: int, epsilon: float) -> Self:
        """Noise on every update."""
        return cls(np.asarray(prior, dtype=np.float64), updates, epsilon, max(2, updates))

    @classmethod
    def by_tree(cls, prior: ArrayLike, *, updates: int, epsilon: float, fan_out: int | None = None) -> Self:
        """Noise on the nodes of a tree, the best one unless a fan-out is given."""
        check_rate(float(check_epsilons(epsilon)[0]))
        best = best_fan_out(check_updates(updates), epsilon) if fan_out is None else fan_out
        return cls(np.asarray(prior, dtype=np.float64), updates, epsilon, best)

    @property
    def guarantee(self) -> Pure:
        """ε-DP, all rows together, to the last digit."""
        level = self.epsilon
        return Pure(level, Relation.ADD_OR_REMOVE_ONE, CONDITIONS, lambda: Enclosure(level, level))

    @property
    def levels(self) -> int:
        """h, with noise of rate ε/h each."""
        return 1 if self.fan_out is None else tree_levels(self.updates, self.fan_out)

    @property
    def rate(self) -> Fraction:
        """ε/h."""
        return Fraction(self.epsilon) / self.levels

    @property
    def variances(self) -> Array:
        """Of one entry of α, a number a row."""
        parts = np.ones(1) if self.fan_out is None else parts_of(self.updates, self.fan_out)
        return parts * geometric_variance(float(self.rate))

    def noisy(self, batches: Counts, noise: Noise) -> list[Counts]:
        """Return what is released of the counts of batches (T, K): nodes of each level, of which α is made."""
        if self.fan_out is None:
            return [noise.geometric(batches.sum(axis=0, keepdims=True), self.rate)]
        spans = [self.fan_out**level for level in range(self.levels)]
        return [noise.geometric(_nodes(batches, span), self.rate) for span in spans]

    def _learn(self, categories: ArrayLike, batches: ArrayLike, noise: Noise, /) -> PosteriorModel:
        n = np.size(categories)
        codes, places = rows.labels(categories, n, self.prior.size), rows.labels(batches, n, self.updates)
        cells = np.bincount(places * self.prior.size + codes, minlength=self.updates * self.prior.size)
        nodes = self.noisy(cells.reshape(self.updates, -1).astype(np.int64), noise)
        counts = nodes[0] if self.fan_out is None else running(nodes, self.updates, self.fan_out)
        return PosteriorModel(self.prior, counts, self.guarantee)


def check_updates(updates: int) -> int:
    """1 or more, and not so many that there is no room for them."""
    if not (1 <= updates <= MOST_UPDATES and float(updates).is_integer()):
        raise InputError(f"updates is {updates:g}; it must be a whole number from 1 to {MOST_UPDATES}.")
    return int(updates)


def running(nodes: list[Counts], updates: int, fan_out: int) -> Counts:
    """Σ of the first t batches, t = 1 … T, by as few nodes as there are digits."""
    times = np.arange(1, updates + 1)
    total = np.zeros((updates, nodes[0].shape[1]), dtype=np.int64)
    for level, values in enumerate(nodes):
        before = np.concatenate([np.zeros_like(values[:1]), np.cumsum(values, axis=0)])
        first = 0 if level == len(nodes) - 1 else times // fan_out ** (level + 1) * fan_out
        total += before[times // fan_out**level] - before[first]
    return total


def parts_of(updates: int, fan_out: int) -> Array:
    """c(t), how many nodes the t-th running total is the sum of."""
    levels, rest = tree_levels(updates, fan_out), np.arange(1, updates + 1)
    parts = np.zeros(updates)
    for _ in range(levels - 1):
        parts += rest % fan_out
        rest = rest // fan_out
    return parts + rest


def tree_levels(updates: int, fan_out: int) -> int:
    """The least h ≥ 1 with b^h ≥ T."""
    levels = 1
    while fan_out**levels < updates:
        levels += 1
    return levels


def best_fan_out(updates: int, epsilon: float) -> int:
    """The b with the least mean variance of the running totals: for each h, the least b with b^h ≥ T can be it."""

    def cost(fan_out: int) -> float:
        rate = epsilon / tree_levels(updates, fan_out)
        return float(parts_of(updates, fan_out).mean() * geometric_variance(rate))

    heights = range(1, tree_levels(updates, 2) + 1)
    return min((_least_base(updates, levels) for levels in heights), key=cost)


def geometric_variance(rate: float) -> float:
    """v(r) = 2e^{−r}/(1 − e^{−r})² = 1/(2 sinh²(r/2))."""
    return 0.5 / math.sinh(rate / 2.0) ** 2 if rate < 1400.0 else 0.0


def _least_base(updates: int, levels: int) -> int:
    """The least b ≥ 2 with b^h ≥ T."""
    base = max(2, math.floor(updates ** (1.0 / levels)))  # a power that is rounded is off by less than 1
    while base**levels < updates:
        base += 1
    return base


def _nodes(batches: Counts, span: int) -> Counts:
    """Sums of `span` batches in a row; what is no whole node is left out, as no total needs it."""
    whole = len(batches) // span
    return np.asarray(batches[: whole * span].reshape(whole, span, -1).sum(axis=1))
