"""Dirichlet posteriors of noisy counts: what a record moves, sums of nodes, laws of noise, and the best tree."""

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from dpsampling.errors import InputError
from dpsampling.learners import conjugate
from dpsampling.learners.conjugate import NoisyDirichlet, parts_of, running, tree_levels
from dpsampling.learners.noise import InFloats

PRIOR = (1.0, 2.0, 0.5)


class Unchanged(InFloats):
    """No noise."""

    def geometric(self, values, rate):
        del rate
        return values


NO_NOISE = Unchanged(np.random.default_rng(0))


def learners(updates, epsilon=1.0, prior=PRIOR):
    yield NoisyDirichlet.at_the_end(prior, updates=updates, epsilon=epsilon)
    yield NoisyDirichlet.at_each_update(prior, updates=updates, epsilon=epsilon)
    for fan_out in range(2, max(3, updates + 1)):
        yield NoisyDirichlet.by_tree(prior, updates=updates, epsilon=epsilon, fan_out=fan_out)


def level_of(one, before, after):
    """ln of the largest ratio of two neighbours' laws: rate times how many units of counts they are apart."""
    nodes = zip(one.noisy(before, NO_NOISE), one.noisy(after, NO_NOISE), strict=True)
    return float(sum(np.abs(a - b).sum() for a, b in nodes) * one.rate)


@pytest.mark.parametrize("updates", [1, 2, 3, 7, 8, 9])
def test_one_record_costs_epsilon_and_no_more_wherever_it_is(updates):
    rng = np.random.default_rng(updates)
    for one in learners(updates):
        costs = []
        for batch, category in product(range(updates), range(3)):
            before = rng.integers(5, size=(updates, 3))
            after = before.copy()
            after[batch, category] += 1
            costs.append(level_of(one, before, after))
        assert max(costs) == pytest.approx(one.guarantee.epsilon, rel=1e-15)


def test_a_planted_tree_that_forgets_its_levels_spends_more():
    one = NoisyDirichlet.by_tree(PRIOR, updates=8, epsilon=1.0, fan_out=2)
    before, after = np.zeros((8, 3), dtype=int), np.eye(8, 3, dtype=int) * 0
    after[0, 0] = 1
    assert level_of(one, before, after) / float(one.rate) * 1.0 == one.levels == 3


@pytest.mark.parametrize("updates", [1, 2, 3, 10, 27, 64, 100])
def test_running_totals_are_sums_of_so_many_nodes(updates):
    batches = np.random.default_rng(0).integers(9, size=(updates, 4))
    for fan_out in {b for b in (2, 3, 5, updates) if b in range(2, max(2, updates) + 1)}:
        one = NoisyDirichlet.by_tree(np.ones(4), updates=updates, epsilon=1.0, fan_out=fan_out)
        nodes = one.noisy(batches, NO_NOISE)
        assert np.array_equal(running(nodes, updates, fan_out), batches.cumsum(axis=0))
        # Each node marked by itself: how often it is in a total tells the parts.
        marks = [np.ones_like(level) for level in nodes]
        assert np.array_equal(running(marks, updates, fan_out)[:, 0], parts_of(updates, fan_out))


def test_variances_are_those_of_draws():
    """10⁵ squares of a total, whose kurtosis is below 6: the mean is within 6 of its standard errors, 1.4% each."""
    rng = np.random.default_rng(1)
    categories = np.zeros(0, dtype=int)
    for one in learners(6, prior=np.ones(50_000)):
        counts = np.concatenate([one.fit(categories, categories, rng).counts for _ in range(2)], axis=1).astype(float)
        ratios = (counts**2).mean(axis=1) / one.variances
        assert np.abs(ratios - 1.0).max() < 0.045
        assert np.abs(1.3 * ratios - 1.0).min() > 0.045  # planted: noise 14% too large
    assert one.variances.shape == (6,)


def test_the_variance_of_geometric_noise_is_its_sum_and_root_t_times_that_at_the_end_at_each_update():
    for rate in (0.01, 0.3, 1.0, 5.0, 40.0):
        y = np.arange(-20_000, 20_001)
        weights = np.exp(-rate * np.abs(y))
        assert conjugate.geometric_variance(rate) == pytest.approx((y * y * weights).sum() / weights.sum(), rel=1e-9)
    for updates in (1, 2, 50):
        end, each = list(learners(updates))[:2]
        assert each.variances[-1] == pytest.approx(updates * end.variances[0])


def test_the_best_tree_is_the_best_of_all():
    for updates, epsilon in product((1, 2, 5, 16, 64, 100, 256), (0.01, 1.0, 8.0)):
        costs = {
            b: NoisyDirichlet.by_tree(PRIOR, updates=updates, epsilon=epsilon, fan_out=b).variances.mean()
            for b in range(2, max(3, updates + 1))
        }
        best = conjugate.best_fan_out(updates, epsilon)
        assert costs[best] <= min(costs.values()) * (1 + 1e-12)
        assert best ** tree_levels(updates, best) >= updates


def test_noise_has_the_law_that_is_said():
    """Fisher's exact counts: of 40 000 draws each of five values is within 6 standard deviations; 10% off is not."""
    one = NoisyDirichlet.at_the_end(np.ones(40_000), updates=1, epsilon=0.8)
    drawn = one.fit([], [], np.random.default_rng(2)).counts[0]

    def off(rate):
        share = np.tanh(rate / 2) * np.exp(-rate * np.arange(5))
        found = np.array([np.mean(drawn == k) for k in range(5)])
        return np.abs((found - share) / np.sqrt(share * (1 - share) / len(drawn))).max()

    assert off(0.8) < 6.0
    assert off(0.8 * 1.1) > 6.0


def test_without_noise_it_is_the_conjugate_posterior():
    rng = np.random.default_rng(3)
    categories, batches = rng.integers(3, size=200), rng.integers(7, size=200)
    for one in learners(7, epsilon=1e4):
        for model in (one.fit(categories, batches, rng), one.release(categories, batches)):
            last = np.array(PRIOR) + np.bincount(categories, minlength=3)
            np.testing.assert_array_equal(model.parameters[-1], last)
            np.testing.assert_allclose(model.means[-1], stats.dirichlet(last).mean())
            if one.fan_out is not None:
                assert model.parameters.shape == (7, 3)
                first = np.array(PRIOR) + np.bincount(categories[batches == 0], minlength=3)
                np.testing.assert_array_equal(model.parameters[0], first)


def test_parameters_are_never_below_the_prior():
    model = NoisyDirichlet.at_each_update(PRIOR, updates=50, epsilon=0.1).fit([], [], np.random.default_rng(4))
    assert model.counts.min() < 0
    assert np.all(model.parameters >= PRIOR)
    assert math.isclose(model.means.sum(axis=1).max(), 1.0)


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: NoisyDirichlet.at_the_end([1.0], updates=1, epsilon=1.0), "prior must be"),
        (lambda: NoisyDirichlet.at_the_end([1.0, 0.0], updates=1, epsilon=1.0), "prior must be"),
        (lambda: NoisyDirichlet.at_the_end(PRIOR, updates=0, epsilon=1.0), "updates is 0"),
        (lambda: NoisyDirichlet.at_the_end(PRIOR, updates=1, epsilon=0.0), "epsilon is 0"),
        (lambda: NoisyDirichlet.by_tree(PRIOR, updates=8, epsilon=1.0, fan_out=9), "fan_out is 9"),
        (lambda: NoisyDirichlet.by_tree(PRIOR, updates=8, epsilon=1.0, fan_out=1), "fan_out is 1"),
        (lambda: NoisyDirichlet.by_tree(PRIOR, updates=8, epsilon=1.0, fan_out=2.5), "fan_out is 2.5"),
        (lambda: NoisyDirichlet.by_tree(PRIOR, updates=1.5, epsilon=1.0), "updates is 1.5"),
        (lambda: NoisyDirichlet.at_each_update(PRIOR, updates=math.nan, epsilon=1.0), "updates is nan"),
        (lambda: NoisyDirichlet.by_tree(PRIOR, updates=8, epsilon=1e-300), "epsilon is too small"),
        (lambda: NoisyDirichlet.at_the_end(PRIOR, updates=8, epsilon=1e-18), "epsilon is too small"),
        (lambda: NoisyDirichlet.at_the_end(PRIOR, updates=2, epsilon=1.0).release([3], [0]), "0 … 2"),
        (lambda: NoisyDirichlet.at_the_end(PRIOR, updates=2, epsilon=1.0).release([0], [2]), "0 … 1"),
        (lambda: NoisyDirichlet.at_the_end(PRIOR, updates=2, epsilon=1.0).release([0, 1], [0]), "one for each of"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(make, why):
    with pytest.raises(InputError, match=why):
        make()
