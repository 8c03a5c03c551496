r"""Discrete Bayesian networks of binary variables (Lemma 7), every probability of which is in [ε, 1−ε].

A network is who the parents of each variable are; its parameters are Pr(k = 1 | parents), one for each row of a table.
ln P(x)/P(y) is a sum over the factors that differ, each between ±ln((1−ε)/ε), and extremes are at the corners of
[ε, 1−ε]^rows. A variable is in its own factor and in those of its children, so with v_k = 1 + (number of neighbours)

    |ln P(x)/P(y)| ≤ ln((1−ε)/ε)·Σ_k v_k 1{x_k ≠ y_k} ≤ ln(1/ε)·ρ_v(x, y),

while under the Hamming distance an edge A → B has a pair at distance 1 with 2 ln((1−ε)/ε), above ln(1/ε) as long as
(1−ε)² > ε: for ε < (3−√5)/2 = .382.

Under uniform priors on [ε, 1−ε] the posterior is a product of truncated Betas, one a row.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from scipy.special import log_expit

from dpsampling.errors import InputError
from dpsampling.foundations.robust.quadrature import LogDensity, kl_on_interval
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.truncated_beta import LogitBeta

Outcome = tuple[int, ...]


@dataclass(frozen=True)
class Network:
    """The parents of each variable, which come before it."""

    parents: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        for k, mine in enumerate(self.parents):
            if any(not 0 <= parent < k for parent in mine):
                raise InputError(f"variable {k} has parents {mine}; the parents of a variable come before it.")

    @cached_property
    def outcomes(self) -> list[Outcome]:
        """All values of all variables."""
        return list(product((0, 1), repeat=len(self.parents)))

    @cached_property
    def rows(self) -> list[tuple[int, Outcome]]:
        """Each variable with each of its parents' values."""
        return [(k, values) for k, mine in enumerate(self.parents) for values in product((0, 1), repeat=len(mine))]

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """1 + the number of neighbours of each variable."""
        degree = [len(mine) for mine in self.parents]
        for mine in self.parents:
            for parent in mine:
                degree[parent] += 1
        return tuple(1 + d for d in degree)

    @cached_property
    def usage(self) -> Array:
        """For each outcome and row: 1 where the row's variable is 1 under that row's parents, −1 where it is 0."""
        table = np.zeros((len(self.outcomes), len(self.rows)))
        for i, outcome in enumerate(self.outcomes):
            for j, (k, values) in enumerate(self.rows):
                if tuple(outcome[parent] for parent in self.parents[k]) == values:
                    table[i, j] = 1.0 if outcome[k] else -1.0
        return table

    def log_probabilities(self, parameters: Sequence[float]) -> Array:
        """ln P of each outcome."""
        p = np.asarray(parameters, dtype=float)
        return np.where(self.usage > 0, np.log(p), np.where(self.usage < 0, np.log1p(-p), 0.0)).sum(axis=1)

    def hamming(self, x: Outcome, y: Outcome) -> int:
        """Variables that differ."""
        return sum(a != b for a, b in zip(x, y, strict=True))

    def weighted(self, x: Outcome, y: Outcome) -> int:
        """ρ_v, where each counts with its neighbours."""
        return sum(v for v, a, b in zip(self.weights, x, y, strict=True) if a != b)

    def corners(self, epsilon: float) -> list[tuple[float, ...]]:
        """All parameters at an end of [ε, 1−ε]."""
        return list(product((epsilon, 1.0 - epsilon), repeat=len(self.rows)))

    def posterior(self, data: Sequence[Outcome], epsilon: float) -> TableLaw:
        """Under uniform priors on [ε, 1−ε]."""
        used = self.usage[[self.outcomes.index(outcome) for outcome in data]]
        return TableLaw(
            tuple(1.0 + (used > 0).sum(axis=0)), tuple(1.0 + (used < 0).sum(axis=0)), epsilon, 1.0 - epsilon
        )


INDEPENDENT = Network(((), ()))
EDGE = Network(((), (0,)))
CHAIN = Network(((), (0,), (1,)))
FORK = Network(((), (0,), (0,)))
COLLIDER = Network(((), (), (0, 1)))
NETWORKS = {"independent": INDEPENDENT, "A→B": EDGE, "A→B→C": CHAIN, "B←A→C": FORK, "A→C←B": COLLIDER}


def smallest_lipschitz(network: Network, epsilon: float, *, weighted: bool) -> tuple[float, int]:
    """max |ln P(x)/P(y)|/ρ over all corners and pairs, and the number of cases."""
    outcomes = network.outcomes
    logs = np.array([network.log_probabilities(corner) for corner in network.corners(epsilon)])
    largest = 0.0
    for i, x in enumerate(outcomes):
        for j in range(i):
            distance = network.weighted(x, outcomes[j]) if weighted else network.hamming(x, outcomes[j])
            largest = max(largest, float(np.abs(logs[:, i] - logs[:, j]).max()) / distance)
    return largest, len(logs) * math.comb(len(outcomes), 2)


@dataclass(frozen=True)
class TableLaw:
    """Independent Betas in [low, high], one for each row of a network's tables."""

    a: tuple[float, ...]
    b: tuple[float, ...]
    low: float
    high: float

    def kl(self, other: TableLaw) -> float:
        """Σ (a − a′) E ln p + (b − b′) E ln(1−p) + ln Z′/Z, by nodes about each peak."""
        return math.fsum(_row_kl(p, q) for p, q in zip(self.on_logits(), other.on_logits(), strict=True))

    def kl_by_quadrature(self, other: TableLaw) -> float:
        """∫ p ln p/q, a row at a time, on the probability's scale, with normalizers of its own."""
        mine, others = (zip(law.a, law.b, strict=True) for law in (self, other))
        return math.fsum(
            kl_on_interval(_power(*p), _power(*q), self.low, self.high)
            for p, q in zip(mine, others, strict=True)
            if p != q
        )

    def log_ratio(self, other: TableLaw) -> float:
        """sup ln p/q: of each row at an end or where the slope vanishes, on a fine grid."""
        at = np.linspace(self.low, self.high, 4001)
        total = 0.0
        mine, others = (zip(law.a, law.b, law.on_logits(), strict=True) for law in (self, other))
        for (a, b, p), (c, d, q) in zip(mine, others, strict=True):
            total += float(np.max((a - c) * np.log(at) + (b - d) * np.log1p(-at)))
            total += float(q.log_normalizer - p.log_normalizer)
        return total

    def on_logits(self) -> list[LogitBeta]:
        """Each row's law of its logit."""
        return [LogitBeta.between(a, b, self.low, self.high) for a, b in zip(self.a, self.b, strict=True)]


def _row_kl(p: LogitBeta, q: LogitBeta) -> float:
    a, b, c, d = (float(np.asarray(value)) for value in (p.a, p.b, q.a, q.b))
    if (a, b) == (c, d):
        return 0.0
    offsets, weights = p.nodes_and_weights(p.left, p.right)
    theta = p.peak + offsets
    mass = weights * np.exp(p.rise(offsets))
    mean = float(np.sum(mass * ((a - c) * log_expit(theta) + (b - d) * log_expit(-theta))) / np.sum(mass))
    return mean + float(q.log_normalizer - p.log_normalizer)


def _power(a: float, b: float) -> LogDensity:
    return lambda p: np.asarray((a - 1.0) * np.log(p) + (b - 1.0) * np.log1p(-p))
