"""Tuning: the law of the best run by enumeration, its price by search, and what it keeps."""

import math
from fractions import Fraction

import numpy as np
import pytest

from dpsampling.errors import InputError
from dpsampling.learners.gradient_descent import GradientDescent
from dpsampling.learners.linear_model import LinearModel
from dpsampling.learners.tuning import Tuned, best_of, law_of_best, worst
from dpsampling.privacy.accounting import to_approximate
from dpsampling.privacy.guarantee import Pure, Relation, Renyi
from dpsampling.privacy.laws import Finite, renyi
from reproduction.experiments.learners.tuning.table import random_pairs, renyi_of


def candidate(clip=1.0, **changes):
    given = {"bound": 1.0, "records": 50, "sampling": 1.0, "steps": 3, "sigma": 4.0, "accounting": "renyi"}
    return GradientDescent(**{**given, "clip": clip, **changes})


def test_the_law_of_the_best_run_is_the_sum_over_numbers_of_runs():
    """Σ_k γ(1−γ)^{k−1} (F≤^k − F<^k), in fractions and cut where (1−γ)^k < 1e-9."""
    law, gamma = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)], Fraction(1, 5)
    found = [Fraction(0)] * 3
    for k in range(1, 100):
        for j in range(3):
            found[j] += gamma * (1 - gamma) ** (k - 1) * (sum(law[: j + 1]) ** k - sum(law[:j]) ** k)
    assert law_of_best(np.array(law, dtype=float), 0.2) == pytest.approx(np.array(found, dtype=float), abs=1e-8)
    several = law_of_best(np.array([law, law[::-1]], dtype=float).T, 0.2)
    assert several[:, 0] == pytest.approx(np.array(found, dtype=float), abs=1e-8)
    assert several.sum(axis=0) == pytest.approx([1.0, 1.0])


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_a_search_comes_near_three_times_and_never_above(epsilon):
    first, second = random_pairs(epsilon, 50_000, np.random.default_rng(1))
    assert np.all(np.abs(np.log(first / second)) <= epsilon * (1 + 1e-9))
    spent = np.abs(np.log(law_of_best(first, 1e-9) / law_of_best(second, 1e-9))).max()
    assert 2.999 * epsilon < spent <= 3.0 * epsilon * (1 + 1e-9)
    assert best_of(Pure(epsilon), 1e-9).epsilon >= spent > 2.0 * epsilon  # a planted price of two is exceeded


@pytest.mark.parametrize("gamma", [0.5, 0.1, 0.01])
@pytest.mark.parametrize("order", [1.5, 2.0, 8.0])
def test_no_finite_pair_exceeds_the_curve(gamma, order):
    """120 random pairs on three outcomes, each under the curve of its own runs."""
    first, second = random_pairs(1.5, 120, np.random.default_rng(2))
    shares = []
    for pair in zip(first.T, second.T, strict=True):
        run = Renyi(lambda x, pair=pair: renyi_of(pair, x))
        kept = law_of_best(pair[0], gamma), law_of_best(pair[1], gamma)
        shares.append(renyi_of(kept, order) / best_of(run, gamma).epsilon(order))
    assert max(shares) <= 1.0


def test_divergences_of_finite_pairs_are_those_of_the_laws():
    pair = np.array([0.2, 0.3, 0.5]), np.array([0.4, 0.35, 0.25])
    both = [Finite(np.log(law)) for law in pair]
    assert renyi_of(pair, 3.0) == pytest.approx(max(renyi(*both, 3.0), renyi(*both[::-1], 3.0)), rel=1e-12)


def test_at_large_orders_the_curve_of_pure_runs_is_three_times():
    """ln γ is divided by the orders, which for a pure run have no end; where runs are few it is less."""
    many, few = best_of(Pure(1.0).renyi(), 1e-9), best_of(Pure(1.0).renyi(), 0.5)
    assert 2.99 <= many.epsilon(1e6) < 3.01
    first, second = random_pairs(1.0, 20_000, np.random.default_rng(4))
    spent = np.abs(np.log(law_of_best(first, 0.5) / law_of_best(second, 0.5))).max()
    assert 1.6 < spent < few.epsilon(1e9) < 2.4


def test_the_score_is_part_of_the_run():
    tuned = Tuned((candidate(), candidate(0.1)), 0.2, 0.1)
    alone, scored = candidate().guarantee, tuned.run
    assert isinstance(scored, Renyi)
    assert scored.epsilon(2.0) == pytest.approx(alone.epsilon(2.0) + Pure(0.1).renyi().epsilon(2.0), rel=1e-9)
    assert to_approximate(tuned.guarantee, 1e-5).epsilon > to_approximate(scored, 1e-5).epsilon
    assert tuned.guarantee.relation is Relation.ADD_OR_REMOVE_ONE
    assert "the number of runs is kept secret" in tuned.guarantee.conditions


def test_what_all_candidates_promise_is_what_the_worst_does():
    assert worst([Pure(0.5), Pure(2.0).renyi()]).epsilon(2.0) == Pure(2.0).renyi().epsilon(2.0)
    assert worst([Pure(0.5), Pure(2.0)]).epsilon == 2.0


class Constant:
    """A learner that is free, and of weights ±1."""

    def __init__(self, sign):
        self.sign, self.guarantee = sign, Pure(0.0, Relation.ADD_OR_REMOVE_ONE)

    def _learn(self, X, y, noise):
        return LinearModel(np.array([self.sign]), self.guarantee)


@pytest.mark.parametrize("way", ["fit", "release"])
def test_the_best_of_many_runs_is_kept(way):
    """With γ = .02 the better of two is missed with probability ≤ γ/(1+γ): 60 trials, 14 misses at 2e-11."""
    rows, labels = np.array([[1.0], [2.0], [-1.0]] * 20), np.array([1, 1, 0] * 20)
    tuned = Tuned((Constant(-1.0), Constant(1.0)), 0.02, 10.0)
    rng = np.random.default_rng(3)
    found = [(tuned.fit(rows, labels, rng) if way == "fit" else tuned.release(rows, labels)) for _ in range(60)]
    assert sum(model.weights[0] < 0 for model in found) < 14
    assert isinstance(found[0].guarantee, Pure)
    assert found[0].guarantee.epsilon == pytest.approx(30.0)
    once = [Tuned(tuned.candidates, 0.98, 10.0).fit(rows, labels, rng).weights[0] for _ in range(60)]
    assert 10 < sum(sign < 0 for sign in once) < 50  # one run is as often the worse one: 4e-8 on either side


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (((), 0.5, 1.0), "give one candidate or more"),
        (((candidate(),), 1.0, 1.0), "gamma is 1"),
        (((candidate(),), 0.5, math.inf), "score_epsilon is inf"),
        (((candidate(accounting="losses", delta=1e-5),), 0.5, 1.0), "give it Rényi accounting"),
    ],
)
def test_what_cannot_be_tuned_is_said(given, words):
    with pytest.raises(InputError, match=words):
        Tuned(*given)
