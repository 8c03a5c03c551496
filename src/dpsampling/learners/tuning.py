r"""The best of a secret number of private runs, and its price (Liu and Talwar 2019; Papernot and Steinke 2022).

A run draws a learner, trains it, and scores it: its weights and its score together are (one value of) its output. The
number of runs is K with Pr(K = k) = γ(1−γ)^{k−1}, and the best of them is released. If p is the law of a run and F(y)
its probability of no better than y, with and without y itself, the released one has

    A(y) = Σ_k γ(1−γ)^{k−1} (F≤^k − F<^k) = γ p(y) / ((1 − (1−γ)F≤)(1 − (1−γ)F<)).                                (1)

**ε-DP runs: 3ε.** 1 − (1−γ)F is the probability of an event of a run and a coin, so that between neighbours each factor
changes by e^ε at most. It is no less: with three outcomes and γ ≪ p(best) ≪ 1, p(middle) ≪ p(best), (1) has e^{3ε}.

**Rényi.** Let a be such a factor, γ ≤ a ≤ 1. As an event it has a′ ≤ (a e^{ε(λ̂)})^{1−1/λ̂}, so that a′/a ≤
e^{(1−1/λ̂)ε(λ̂)} γ^{−1/λ̂}; and A/p ≤ 1/γ. So Σ A^λ A′^{1−λ} = Σ p^λ p′^{1−λ} (A/p) ((A/p)/(A′/p′))^{λ−1} gives

    ε_K(λ) = ε(λ) + 2(1 − 1/λ̂) ε(λ̂) + 2 ln(1/γ)/λ̂ + ln(1/γ)/(λ−1)      for any λ̂ > 1.

The score is part of the run: here how many rows are told right, with two-sided geometric noise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.errors import InputError
from dpsampling.learners import rows
from dpsampling.learners.linear_model import LinearModel
from dpsampling.learners.noise import Learner, Noise
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.enclosure import as_ball, enclose
from dpsampling.numerics.exact.data_dependent import data_dependent
from dpsampling.privacy.accounting import compose
from dpsampling.privacy.guarantee import Guarantee, Pure, Relation, Renyi
from dpsampling.privacy.rounding import sum_up

OTHER_ORDERS = tuple(float(x) for x in 1.0 + np.geomspace(0.25, 2.0**13 - 1.0, 40))  # λ̂ that are tried


@dataclass(frozen=True)
class Tuned(Learner[LinearModel]):
    """The best of geometrically many runs of `candidates`, each drawn alike, scored with (`score_epsilon`)-DP."""

    candidates: tuple[Any, ...]
    gamma: float
    score_epsilon: float

    def __post_init__(self) -> None:
        if not self.candidates:
            raise InputError("there is nothing to tune; give one candidate or more.")
        if not 0 < self.gamma < 1:
            raise InputError(f"gamma is {self.gamma:g}; runs end with a probability above 0 and below 1.")
        if not 0 < self.score_epsilon < math.inf:
            raise InputError(f"score_epsilon is {self.score_epsilon:g}; a score's level is above 0 and finite.")
        if not all(isinstance(candidate.guarantee, Pure | Renyi) for candidate in self.candidates):
            raise InputError(
                "a candidate promises (ε, δ), of which the price of tuning is not known here; give it Rényi accounting."
            )

    @cached_property
    def run(self) -> Pure | Renyi:
        """Return what one run promises, its score included, whichever candidate it draws."""
        return compose(worst([c.guarantee for c in self.candidates]), self._score)  # type: ignore[return-value]

    @property
    def _score(self) -> Pure:
        """A row in place of another changes how many are right by one, as a row more or less does."""
        return Pure(self.score_epsilon, self.candidates[0].guarantee.relation)

    @cached_property
    def guarantee(self) -> Pure | Renyi:
        """Of the one model that is kept, with its score."""
        return best_of(self.run, self.gamma)

    @data_dependent("the number of runs, and which is the best, hangs on coins and released numbers; the time does too")
    def _learn(self, X: ArrayLike, y: ArrayLike, noise: Noise, /) -> LinearModel:
        features = rows.matrix("features", X)
        labels = rows.labels(y, len(features))
        best: tuple[int, LinearModel] | None = None
        runs, going = 0, True
        while going:
            model = self.candidates[_one_of(len(self.candidates), noise)]._learn(features, labels, noise)
            right = np.array([np.count_nonzero((rows.scores(features, model.weights) > 0.0) == labels)], dtype=np.int64)
            score = int(noise.geometric(right, self.score_epsilon)[0])
            if best is None or score > best[0]:
                best = score, model
            runs += 1
            going = not noise.coins(self.gamma, 1)[0]
        assert best is not None
        return LinearModel(best[1].weights, self.guarantee, {**best[1].diagnostics, "score": float(best[0])})


def best_of(run: Pure | Renyi, gamma: float) -> Pure | Renyi:
    """Return what the best of K runs promises: three times a pure level, or the curve above."""
    conditions = (*run.conditions, "the number of runs is kept secret")
    if isinstance(run, Pure):
        return Pure(sum_up([run.epsilon], 3), run.relation, conditions)
    added = min(_of_factors(run.epsilon(other), other, gamma) for other in OTHER_ORDERS if other < run.horizon)

    def curve(order: float) -> float:
        level = run.epsilon(order)
        if math.isinf(level) or math.isinf(added):
            return math.inf
        return enclose(lambda: as_ball(level) + as_ball(added) - as_ball(gamma).log() / (as_ball(order) - 1)).upper

    return Renyi(curve, run.horizon, run.relation, conditions)


def _of_factors(level: float, other: float, gamma: float) -> float:
    """2(1 − 1/λ̂) ε(λ̂) + 2 ln(1/γ)/λ̂, rounded up."""
    if math.isinf(level):
        return math.inf
    return enclose(
        lambda: 2 * ((1 - 1 / as_ball(other)) * as_ball(level) - as_ball(gamma).log() / as_ball(other))
    ).upper


def worst(guarantees: Sequence[Guarantee]) -> Pure | Renyi:
    """Return what all of them promise."""
    relations: set[Relation] = {g.relation for g in guarantees}
    if len(relations) > 1:
        raise InputError("the candidates mean different neighbours; restate them for one relation.")
    conditions = tuple(dict.fromkeys(c for g in guarantees for c in g.conditions))
    if all(isinstance(g, Pure) for g in guarantees):
        return Pure(max(g.epsilon for g in guarantees if isinstance(g, Pure)), relations.pop(), conditions)
    curves = [g.renyi() for g in guarantees if isinstance(g, Pure | Renyi)]
    horizon = min(curve.horizon for curve in curves)
    return Renyi(lambda order: max(c.epsilon(order) for c in curves), horizon, relations.pop(), conditions)


def law_of_best(law: Array, gamma: float) -> Array:
    """(1) for the law of a run, or a column each of several, over outcomes from the worst to the best."""
    at_least = np.cumsum(law[::-1], axis=0)[::-1]  # 1 − F<, from the end where it is small
    better = np.append(at_least[1:], np.zeros_like(at_least[:1]), axis=0)  # 1 − F≤
    kept = gamma + (1.0 - gamma) * np.stack([better, at_least])
    return np.asarray(gamma * law / kept.prod(axis=0))


def _one_of(count: int, noise: Noise) -> int:
    """A uniform place: the first of places, each taken with probability one over those that are left."""
    for place in range(count - 1):
        if noise.coins(Fraction(1, count - place), 1)[0]:
            return place
    return count - 1
