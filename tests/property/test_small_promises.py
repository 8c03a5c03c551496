"""Promises of every size against exact arithmetic: none is below what it means where floats have few bits, or none.

A relative rounding error of a number below 2⁻¹⁰²² is not 2⁻⁵³, and a product of two numbers below 2⁻⁵³⁷ is 0.
"""

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from dpsampling.amplification import couplings, mixing
from dpsampling.mechanisms import markov_chains, tempering
from dpsampling.mechanisms.exponential import ExponentialMechanism
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.gaussian_statistic import GaussianStatistic
from dpsampling.mechanisms.one_posterior_sample import OnePosteriorSample
from dpsampling.privacy.accounting import delta_at
from dpsampling.privacy.guarantee import Pure
from dpsampling.privacy.rounding import LEAST, float_above, round_up, sum_up
from magnitudes import MAGNITUDES, assert_just_above

ORDERS = st.one_of(st.floats(-15, 6).map(lambda x: 1 + 10**x), MAGNITUDES.filter(lambda x: x > 1))
SHARES = st.one_of(MAGNITUDES.filter(lambda x: x <= 1), st.floats(-16, 0).map(lambda x: 1 - 10**x))


def scan(**strategies):
    """250 settings and those of the examples, the same ones each time."""

    def decorate(test):
        return settings(max_examples=250, deadline=None, derandomize=True)(given(**strategies)(test))

    return decorate


# -- rounding itself ------------------------------------------------------------------------------------------------


@scan(numerator=MAGNITUDES, denominator=MAGNITUDES)
def test_the_float_above_is_the_least_one(numerator, denominator):
    exact = Fraction(numerator) / Fraction(denominator)
    above = float_above(exact)
    assert above >= exact > math.nextafter(above, 0.0)
    assert float_above(Decimal(above)) == above
    assert round_up(above) > above or math.isinf(above)


def test_zero_stays_zero_and_nothing_else_becomes_it():
    assert round_up(0.0) == float_above(Fraction(0)) == sum_up([0.0, 0.0]) == 0.0
    assert round_up(LEAST) == 2 * LEAST
    assert float_above(Fraction(1, 10**400)) == float_above(Decimal("1e-100000")) == LEAST
    assert float_above(Fraction(10**400)) == float_above(Decimal("1e100000")) == math.inf
    assert sum_up([LEAST, 1.0]) == math.nextafter(1.0, 2.0)


# -- guarantees and their conversions -------------------------------------------------------------------------------


def randomized_response(epsilon, order):
    """ln[cosh((λ−½)ε)/cosh(ε/2)]/(λ−1), its two logarithms without their common part, in enough digits."""
    with mp.workdps(700):
        a, b = order * epsilon / 2, (order - 1) * epsilon / 2
        return mp.log1p(2 * mp.sinh(a) * mp.sinh(b) / mp.cosh(epsilon / 2)) / (order - 1)


@scan(epsilon=MAGNITUDES.filter(lambda x: x < 1e3), order=ORDERS)
@example(epsilon=1e-170, order=2.0)
@example(epsilon=2e-162, order=1.5)
@example(epsilon=1e-158, order=1 + 2**-52)  # the excess of cosh has few bits, and is divided by 2^-52
@example(epsilon=LEAST, order=1e300)
def test_pure_guarantees_imply_no_smaller_curve(epsilon, order):
    if order * epsilon > 1e4:
        return
    assert_just_above(Pure(epsilon).renyi().epsilon(order), randomized_response(mpf(epsilon), mpf(order)), order)


@scan(strong=MAGNITUDES.filter(lambda x: x < 700), share=SHARES)
@example(strong=LEAST, share=0.0)
def test_pure_guarantees_imply_no_smaller_delta(strong, share):
    epsilon = share * strong
    with mp.workdps(700):
        exact = -mp.expm1(mpf(epsilon) - mpf(strong)) / (1 + mp.exp(-mpf(strong)))
    assert_just_above(delta_at(Pure(strong), epsilon), exact)
    assert delta_at(Pure(strong), strong) == 0.0


# -- couplings ------------------------------------------------------------------------------------------------------


@scan(delta=MAGNITUDES, first=MAGNITUDES, second=MAGNITUDES, lipschitz=MAGNITUDES, order=ORDERS)
@example(delta=1e-170, first=1.0, second=1.0, lipschitz=1.0, order=2.0)
@example(delta=1e100, first=1e-300, second=1.0, lipschitz=1e-170, order=2.0)
def test_gaussian_couplings(delta, first, second, lipschitz, order):
    found = couplings.lipschitz_gaussian(delta, first, second, lipschitz).epsilon(order)
    with mp.workdps(700):
        moved, hidden = mpf(delta) * mpf(lipschitz), (mpf(lipschitz) * mpf(first)) ** 2 + mpf(second) ** 2
        assert_just_above(found, mpf(order) * moved**2 / hidden / 2, order)


def laplace_divergence(order, distance):
    with mp.workdps(1400):
        k = order - 1
        up, down = mp.expm1(k * distance) * order, mp.expm1(-order * distance) * k
        return mp.log1p((up + down) / (2 * order - 1)) / k


@scan(delta=MAGNITUDES, scale=MAGNITUDES, order=ORDERS)
@example(delta=1e-170, scale=1.0, order=2.0)
@example(delta=1e-160, scale=1.0, order=1.01)
@example(delta=1e-320, scale=1e300, order=1e299)
def test_laplace_couplings(delta, scale, order):
    distance = mpf(delta) / mpf(scale)
    if distance * order > 1e3:
        return
    exact = laplace_divergence(mpf(order), distance)
    assert_just_above(couplings.laplace(delta, scale).epsilon(order), exact, order)
    both = couplings.iterated_laplace(delta, scale, scale).epsilon(order)
    assert mpf(both) >= 2 * laplace_divergence(mpf(order), distance / 2) * (1 - mpf("1e-12"))
    assert_just_above(couplings.iterated_laplace_limit(delta, scale, scale).epsilon, distance)


# -- mixing ---------------------------------------------------------------------------------------------------------


@scan(epsilon=MAGNITUDES.filter(lambda x: x < 5e3), delta=SHARES, gamma=SHARES)
@example(epsilon=LEAST, delta=0.0, gamma=0.9)
@example(epsilon=1e-200, delta=0.0, gamma=1e-200)
@example(epsilon=745.0, delta=0.5, gamma=LEAST)
@example(epsilon=1.0, delta=LEAST, gamma=0.5)
def test_mixing(epsilon, delta, gamma):
    with mp.workdps(2800):
        e, d, g = mpf(epsilon), mpf(delta), mpf(gamma)
        level, beta = mp.log1p(g * mp.expm1(e)), g + (1 - g) * mp.exp(-e)
        doeblin = g * ((1 - g) * -mp.expm1(-e) + beta * d)
        below = g * (d + (1 - d) * -mp.expm1(-e / 2) / (1 + mp.exp(-e)))
        needed = mp.log1p(mp.expm1(e) / d) if delta else mp.inf
    assert_just_above(mixing.by_dobrushin(epsilon, delta, gamma)[1], g * d)
    for found, exact in (
        (mixing.by_doeblin(epsilon, delta, gamma), doeblin),
        (mixing.by_ultra_mixing(epsilon, delta, gamma), g * beta * d),
    ):
        assert_just_above(found[0], level)
        assert_just_above(found[1], exact)
    if epsilon / 2 * 2 == epsilon:
        assert_just_above(mixing.by_dobrushin_below(epsilon, delta, gamma, epsilon / 2)[1], below)
    assert needed * (1 - mpf("1e-11")) - 2 * LEAST <= mixing.needed_level(epsilon, delta) <= needed


# -- mechanisms -----------------------------------------------------------------------------------------------------


@scan(truncation=st.floats(-300, -0.302).map(lambda x: 10**x), t=MAGNITUDES.filter(lambda x: x >= 1))
@example(truncation=0.4999999999999999, t=1e308)
@example(truncation=0.1, t=1e308)
def test_tempering_costs(truncation, t):
    with mp.workdps(400):
        exact = 2 * mp.log1p((1 - 2 * mpf(truncation)) / mpf(truncation)) / mpf(t)
    assert_just_above(tempering.cost(tempering.sensitivity(truncation), t), exact)


@scan(epsilon=MAGNITUDES.filter(lambda x: x < 100))
def test_the_temperature_for_a_level_does_not_cost_more(epsilon):
    delta = tempering.sensitivity(0.1)
    if 2 * delta / epsilon < 1e308:
        assert tempering.cost(delta, tempering.temperature(delta, epsilon)) <= epsilon


@scan(epsilon=MAGNITUDES.filter(lambda x: x < 1e3), records=st.integers(1, 10**9))
@example(epsilon=LEAST, records=3)
def test_sampled_records(epsilon, records):
    with mp.workdps(400):
        exact = mp.log1p(mp.expm1(mpf(epsilon)) / records)
        assert_just_above(markov_chains.amplified(epsilon, 1, records).epsilon, exact)


@scan(epsilon=MAGNITUDES, order=ORDERS)
@example(epsilon=1e-170, order=2.0)
def test_the_exponential_mechanism(epsilon, order):
    if not 1e-300 < epsilon < 1e3 or order * epsilon > 1e3:
        return
    level = ExponentialMechanism(1.0, epsilon).renyi_guarantee.epsilon(order)
    exact = min(mpf(order) * mpf(epsilon) ** 2 / 8, randomized_response(mpf(epsilon), mpf(order)))
    assert_just_above(level, exact, order)


@scan(sigma=MAGNITUDES, order=ORDERS)
@example(sigma=1e170, order=2.0)
@example(sigma=3e161, order=1.4)
def test_the_gaussian_mechanism(sigma, order):
    level = GaussianStatistic(BetaBernoulli(), (1, 2), 3, sigma).guarantee.epsilon(order)
    assert_just_above(level, mpf(order) / mpf(sigma) ** 2 / 2, order)


@pytest.mark.parametrize("epsilon", [1e-120, 1e-160, 1e-200, 1e-300])
def test_one_posterior_sample_at_huge_temperatures(epsilon):
    """R_λ ≈ λ Var θ/(2T²), where Var θ is that of p uniform on [a₀, 1 − a₀]."""
    mechanism = OnePosteriorSample.calibrate(BetaBernoulli(), (1, 2), 5, 0.1, epsilon=epsilon)
    with mp.workdps(40):
        variance = mp.quad(lambda p: mp.log(p / (1 - p)) ** 2, [0.1, 0.5, 0.9]) / mpf("0.8")
        exact = 2 * variance / mpf(mechanism.temperature) ** 2 / 2
    level = mechanism.renyi_guarantee.epsilon(2.0)
    assert mpf(level) >= exact * (1 - mpf("1e-12"))
    assert mpf(level) <= 20 * exact + 4 * LEAST


def test_a_planted_plain_float_is_below():
    """λε²/2, Δ²/(2σ²) and ε/3 as they stand, and a margin that is a factor."""
    for epsilon, order in ((1e-170, 2.0), (2e-162, 1.4), (2.5e-162, 2.0)):
        plain = order * epsilon**2 / 2 * (1 + 2.0**-40)
        with pytest.raises(AssertionError):
            assert_just_above(plain, randomized_response(mpf(epsilon), mpf(order)), order)
    with pytest.raises(AssertionError):
        assert_just_above(4 * LEAST / 3 * (1 + 2.0**-40), 4 * mpf(LEAST) / 3)
