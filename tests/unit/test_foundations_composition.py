"""Optimal composition against enumeration and against mpmath; the attack on sums; data sets as counts."""

import math
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest

from dpsampling.errors import InputError
from dpsampling.foundations import composition as c
from dpsampling.foundations.datasets import counted, distance, slopes
from dpsampling.foundations.max_divergence import divergence, excess, ratio
from dpsampling.foundations.reconstruction import attack, recovered


def binomial_sum(count, epsilon, delta, level, digits=60):
    """δ' as a sum over all numbers of lies, in other arithmetic."""
    with mpmath.workdps(digits):
        t, e, kept = mpmath.exp(epsilon), mpmath.exp(level), (1 - mpmath.mpf(delta)) ** count
        terms = (mpmath.binomial(count, i) * max(t ** (count - i) - e * t**i, 0) for i in range(count + 1))
        return 1 - kept + kept * sum(terms) / (1 + t) ** count


@pytest.mark.parametrize(("t", "delta"), [(3, 0), (3, Fraction(1, 20)), (Fraction(3, 2), Fraction(1, 100))])
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_the_optimum_is_that_of_every_output_of_the_worst_pair(t, delta, count):
    """Exact fractions over 4^k outputs."""
    one, other = c.response(Fraction(t), Fraction(delta))
    laws = c.joint(*[one] * count), c.joint(*[other] * count)
    epsilon = math.log(t)
    for slack in (Fraction(1, 1000), Fraction(1, 10), Fraction(2, 5)):
        target = c.some([Fraction(delta)] * count) + slack
        exact = max(divergence(*laws, target), 0.0)
        assert c.optimal_epsilon(count, epsilon, float(delta), float(target)) == pytest.approx(exact, abs=1e-12)
    for level in (Fraction(1), Fraction(2), Fraction(7)):
        found = c.optimal_delta(count, epsilon, float(delta), math.log(level))
        assert found == pytest.approx(float(excess(*laws, level)), abs=1e-13)


@pytest.mark.parametrize(
    ("count", "epsilon", "delta", "level"),
    [(1, 1, 0, 0.5), (30, 0.1, 0, 1.0), (200, 0.3, 1e-6, 20), (333, 1, 0, 200), (500, 0.01, 1e-9, 0), (64, 3, 0, 190)],
)
def test_the_optimum_is_the_sum_of_binomial_terms(count, epsilon, delta, level):
    found = c.optimal_delta(count, epsilon, delta, level)
    exact = binomial_sum(count, epsilon, delta, level)
    assert mpmath.mpf(found) >= exact * (1 - mpmath.mpf(10) ** -40)
    assert mpmath.mpf(found) <= exact * (1 + 2**-50)


@pytest.mark.parametrize(("count", "epsilon", "delta"), [(40, 0.2, 0), (150, 1, 1e-7), (400, 3, 0), (5000, 0.01, 0)])
@pytest.mark.parametrize("slack", [1e-9, 1e-3, 0.3])
def test_levels_and_deltas_invert_each_other(count, epsilon, delta, slack):
    target = 1 - (1 - delta) ** count + slack
    level = c.optimal_epsilon(count, epsilon, delta, target)
    assert c.optimal_delta(count, epsilon, delta, level) <= target * (1 + 1e-9)
    if level > 0:
        assert c.optimal_delta(count, epsilon, delta, level * (1 - 1e-6)) > target


def test_edges_of_the_optimum():
    assert c.optimal_epsilon(7, 0.3, 0.0, 0.0) == pytest.approx(2.1)
    assert c.optimal_epsilon(3000, 0.01, 0.0, 0.0) == pytest.approx(30.0)
    assert c.optimal_epsilon(10, 0.5, 0.01, 0.05) == math.inf  # betrayed with probability .096
    assert c.optimal_epsilon(10, 0.01, 0.0, 0.5) == 0.0
    assert c.optimal_delta(5, 1.0, 0.0, 5.0) == 0.0
    for wrong in ((0, 1.0, 0.0, 0.1), (1.5, 1.0, 0.0, 0.1), (1, 0.0, 0.0, 0.1), (1, 1.0, 1.0, 0.1), (1, 1.0, 0.0, 1.0)):
        with pytest.raises(InputError):
            c.optimal_epsilon(*wrong)
    for call in (c.root, c.advanced):
        with pytest.raises(InputError, match="slack is 0"):
            call(10, 0.1, 0.0)
    with pytest.raises(InputError):
        c.optimal_delta(1, 1.0, 0.0, -1.0)


def test_every_two_output_mechanism_is_below_the_optimum():
    """And one that betrays more than δ is not: a planted pair."""
    t, delta, steps = Fraction(2), Fraction(1, 10), 10
    limit = c.optimal_delta(2, math.log(2.0), 0.1, math.log(3.0))
    seen = 0
    for a, b in product(range(steps + 1), repeat=2):
        p, q = ((Fraction(x, steps), 1 - Fraction(x, steps)) for x in (a, b))
        if max(excess(p, q, t), excess(q, p, t)) <= delta:
            seen += 1
            assert float(excess(c.joint(p, p), c.joint(q, q), Fraction(3))) <= limit
    assert seen > 20
    one, other = c.response(t, Fraction(3, 20))
    assert float(excess(c.joint(one, one), c.joint(other, other), Fraction(3))) > limit


def test_claim_2_30_fails_for_one_release_and_2_31_never_does():
    one, other = c.response(Fraction(20))
    assert ratio(one, other, Fraction(1, 2)) == Fraction(19, 2)
    assert math.log(9.5) > c.root(1, math.log(20.0), 0.5)
    for count, epsilon, slack in product((1, 2, 5, 30, 200), (0.01, 0.3, 1, 4), (1e-9, 0.1, 0.9)):
        assert c.optimal_delta(count, epsilon, 0.0, c.advanced(count, epsilon, slack)) <= slack


def test_an_adaptive_tree_is_the_product_where_nothing_is_chosen_and_what_some_of_several_do():
    p, q = (Fraction(1, 3), Fraction(2, 3)), (Fraction(1, 4), Fraction(3, 4))
    assert c.adaptive(p, [q, q]) == c.joint(p, q)
    assert sum(c.adaptive(p, [q, p])) == 1
    assert c.some([Fraction(1, 10)] * 2) == Fraction(19, 100)
    assert c.some([]) == 0


def test_samples_are_counted_and_slopes_are_the_steepest():
    assert counted([0, 1, 1], 4) == (1, 2, 0, 0)
    assert distance((1, 0, 2), (0, 3, 2)) == 4
    assert slopes([0, 1, 3], lambda x, y: abs(x - y), lambda x, y: abs(x**2 - y**2)) == {0: 3, 1: 4, 3: 4}


def test_exact_sums_give_every_bit_and_wide_noise_does_not():
    """Twenty bits by guessing: 10⁻⁶; the planted fault is a secret that the answers are not of."""
    rng = np.random.default_rng(3)
    assert recovered(20, 40, 0.0, rng) == 1.0
    secret, subsets = np.arange(20) % 2.0, rng.integers(2, size=(60, 20)).astype(float)
    assert (attack(subsets, subsets @ secret) == secret).all()
    assert (attack(subsets, subsets @ (1.0 - secret)) != secret).all()
    assert np.mean([recovered(20, 20, 40.0, rng) for _ in range(10)]) < 0.95
