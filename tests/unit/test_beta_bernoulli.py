"""Rényi divergences of the Beta-Bernoulli system against mpmath, quadrature and enumeration."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import beta as beta_law

import reference
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli

FAMILY = BetaBernoulli()
PRIORS = [(6.0, 18.0), (1.0, 2.0), (0.05, 0.1), (0.05, 300.05), (40.0, 40.5), (2.0, 1e4)]
LOG_SHAPE = st.floats(math.log10(0.05), 5)
PAIRS = [((6, 12), (7, 11)), ((38, 80), (37, 81)), ((3.5, 2), (3, 2.2)), ((1, 1), (1.2, 1.1))]
ORDERS = [1.0, 1.001, 1.04, 2.0, 6.9, 15.0]


def law(*shapes):
    return np.array(shapes)


def worst_relative_error(prior, n, orders, **weights):
    """Of `worst_case_divergence` at each order, against four pairs in mpmath."""
    levels = FAMILY.worst_case_divergence(prior, n, orders, **weights)
    return max(
        reference.relative_error(level, reference.worst_renyi(prior, n, order, **weights))
        for level, order in zip(levels, orders, strict=True)
    )


# -- the divergence of two members ---------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [1.0, 1.5, 2.0, 5.0])
@pytest.mark.parametrize(("p", "q"), PAIRS)
def test_renyi_divergence_is_the_integral_of_the_densities(p, q, order):
    def integrand(rho):
        log_p, log_q = beta_law.logpdf(rho, *p), beta_law.logpdf(rho, *q)
        if order == 1:
            return math.exp(log_p) * (log_p - log_q)
        return math.exp(order * log_p + (1 - order) * log_q)

    moment = sum(quad(integrand, a, b, epsabs=1e-13, epsrel=1e-12)[0] for a, b in [(1e-300, 0.3), (0.3, 1 - 1e-16)])
    exact = moment if order == 1 else math.log(moment) / (order - 1)
    value = FAMILY.renyi_divergence(p, q, order)
    # The quadrature's error, magnified by the logarithm of a number near one.
    assert value == pytest.approx(exact, rel=1e-8, abs=1e-11)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(LOG_SHAPE, LOG_SHAPE, st.floats(-9, math.log10(0.9)), st.sampled_from([-1.0, 1.0]), st.floats(-9, 3))
def test_pairs_of_equal_weight_agree_with_mpmath_to_1e_12(log_alpha, log_beta, log_share, sign, log_order):
    p = law(10**log_alpha, 10**log_beta)
    step = sign * 10**log_share * min(p)
    order = 1 + 10**log_order
    q = law(p[0] + step, p[1] - step)
    # Nearer to the pole the float that an order is says less about the divergence than 1e-12.
    assume(all(abs(a + (order - 1) * (a - c)) > 1e-3 * a for a, c in zip(p, q, strict=True)))
    value = FAMILY.renyi_divergence(p, q, order)
    exact = reference.renyi(p, q, order)
    assert value >= 0
    assert reference.relative_error(value, exact) < 1e-12


@settings(max_examples=150, deadline=None, derandomize=True)
@given(*[st.floats(math.log10(0.05), 4) for _ in range(4)], st.floats(-6, 2))
def test_any_pair_agrees_with_mpmath_to_1e_9(log_a, log_b, log_c, log_d, log_order):
    p, q = law(10**log_a, 10**log_b), law(10**log_c, 10**log_d)
    assume(np.any(p != q))
    order = 1 + 10**log_order
    value = FAMILY.renyi_divergence(p, q, order)
    exact = reference.renyi(p, q, order)
    assert value >= 0
    # Shapes and total of different size cancel: C is a difference of three ln Γ.
    assert reference.relative_error(value, exact) < 1e-9


@pytest.mark.parametrize("order", [1.0, 1 + 1e-12, 1.001, 2.0])
@pytest.mark.parametrize("step", [1e-9, 1e-3, 1.0])
def test_near_confluence_keeps_its_digits(order, step):
    p, q = law(320_006.0, 680_012.0), law(320_006.0 - step, 680_012.0 + step)
    exact = reference.renyi(p, q, order)
    assert reference.relative_error(FAMILY.renyi_divergence(p, q, order), exact) < 1e-12


def test_order_one_is_the_limit_and_the_kl_divergence():
    p, q = law(7.0, 11.0), law(6.0, 12.0)
    assert FAMILY.kl_divergence(p, q) == FAMILY.renyi_divergence(p, q, 1.0)
    assert FAMILY.kl_divergence(p, q) == pytest.approx(FAMILY.renyi_divergence(p, q, 1 + 1e-13), rel=1e-12)


def test_order_infinity_is_the_supremum_of_the_log_ratio():
    p, q = (7.5, 13.0), (6.0, 12.0)
    rho = np.linspace(1e-6, 1 - 1e-6, 1_000_001)
    supremum = np.max(beta_law.logpdf(rho, *p) - beta_law.logpdf(rho, *q))
    # A grid of 1e-6 misses a smooth maximum by its curvature times 1e-12.
    assert FAMILY.renyi_divergence(p, q, np.inf) == pytest.approx(supremum, abs=1e-10)
    assert FAMILY.renyi_divergence(q, p, np.inf) == np.inf
    assert FAMILY.renyi_divergence(p, p, np.inf) == 0


def test_order_infinity_is_the_limit_of_large_orders():
    p, q = law(7.5, 13.0), law(6.0, 12.0)
    levels = FAMILY.renyi_divergence(p, q, np.array([1e4, 1e8, 1e12, 1e100, np.inf]))
    assert np.all(np.diff(levels) >= -1e-12)  # betaln rounds at order ∞
    assert levels[-2] == pytest.approx(levels[-1], rel=1e-12)


def test_order_infinity_keeps_its_digits_and_no_finite_order_overflows():
    p, q = (44.08366822246714, 538461.9543196948), (44.08366620572669, 538461.9384930831)
    assert reference.relative_error(FAMILY.renyi_divergence(p, q, np.inf), reference.renyi(p, q, np.inf)) < 1e-6
    assert np.isfinite(FAMILY.renyi_divergence([3.0, 2.0], [2.0, 2.0], 1e200))


def test_divergence_is_infinite_from_the_order_where_the_mixture_is_not_normalizable():
    p, q = law(6.0, 12.0), law(7.0, 11.0)  # λ·6 + (1−λ)·7 = 7 − λ
    assert np.isfinite(FAMILY.renyi_divergence(p, q, 7.0 * (1 - 1e-15)))  # rounding decides in between
    assert np.all(FAMILY.renyi_divergence(p, q, np.array([7.0, 8.0, 1e6, np.inf])) == np.inf)


def test_divergence_is_never_nan_nor_negative():
    points = np.array(list(itertools.product([0.05, 1.0, 6.0, 1e6], repeat=2)))
    orders = np.array([1.0, 1 + 1e-15, 1.001, 2.0, 50.0, 1e6, np.inf])
    levels = FAMILY.renyi_divergence(points[:, None, None], points[None, :, None], orders)
    assert levels.shape == (16, 16, 7)
    assert np.all(levels >= 0)
    assert np.all(levels[np.arange(16), np.arange(16)] == 0)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(*[st.floats(0.1, 1e3) for _ in range(4)])
def test_divergence_grows_with_its_order(a, b, c, d):
    levels = FAMILY.renyi_divergence(law(a, b), law(c, d), np.array([1, 1.01, 1.5, 2, 3, 10, 100]))
    finite = levels[np.isfinite(levels)]
    assert np.all(np.diff(finite) >= -1e-9 * finite[1:])
    assert np.all(np.isinf(levels[len(finite) :]))


# -- the supremum over neighbouring data ---------------------------------------------------------------------------


@pytest.mark.parametrize("weights", [{}, {"data_weight": 0.3}, {"prior_weight": 2.5}, {"data_weight": 1e-3}])
@pytest.mark.parametrize("prior", PRIORS)
def test_worst_case_is_the_maximum_over_every_neighbouring_pair(prior, weights):
    for n in (1, 2, 3, 5, 12):
        levels = FAMILY.worst_case_divergence(prior, n, ORDERS, **weights)
        pairs = reference.steps(range(n + 1))
        for order, level in zip(ORDERS, levels, strict=True):
            exact = reference.worst_renyi(prior, n, order, pairs=pairs, **weights)
            assert reference.relative_error(level, exact) < 1e-12


@pytest.mark.parametrize("prior", PRIORS)
def test_worst_case_covers_fractional_statistics(prior):
    n = 4
    sums = np.linspace(0, n, 17)
    pairs = [(s, t) for s in sums for t in sums if 0 < abs(s - t) <= 1]
    for order in (1.0, 1.04, 2.0, 15.0):
        level = FAMILY.worst_case_divergence(prior, n, order)
        assert reference.relative_error(level, reference.worst_renyi(prior, n, order, pairs=pairs)) < 1e-12


@pytest.mark.parametrize("scale", [1.0, 0.1, 0.001])
@pytest.mark.parametrize("prior", [(6.0, 18.0), (1.0, 2.0), (0.05, 300.05), (0.05, 1e4)])
def test_worst_case_at_a_million_records(prior, scale):
    orders = np.array([1.0, 1.001, 1.04, 2.0, 6.5, 15.0, 200.0])
    assert worst_relative_error(prior, 10**6, orders, data_weight=scale) < 1e-12
    assert worst_relative_error(prior, 10**6, orders, prior_weight=1 / scale) < 1e-12


def test_printed_corollary_would_leave_the_domain_for_the_uniform_prior():
    # η_Q = η_P ± (r, 0) at every end asks for Beta(0, n + 2); only reachable pairs give λ* = 2.
    assert FAMILY.order_horizon([1.0, 2.0]) == 2.0
    assert np.isfinite(FAMILY.worst_case_divergence([1.0, 2.0], 10, 2.0 - 1e-15))
    assert FAMILY.worst_case_divergence([1.0, 2.0], 10, 2.0) == np.inf


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize(("data_weight", "prior_weight"), [(1.0, 1.0), (0.25, 1.0), (1.0, 8.0)])
def test_horizon_is_one_plus_the_lesser_shape_over_the_step(prior, data_weight, prior_weight):
    weights = {"data_weight": data_weight, "prior_weight": prior_weight}
    horizon = FAMILY.order_horizon(prior, **weights)
    lesser = float(min(prior[0], prior[1] - prior[0]))  # as floats
    assert horizon == pytest.approx(1 + lesser * prior_weight / data_weight, rel=1e-15)
    below, above = FAMILY.worst_case_divergence(prior, 10, horizon * np.array([1 - 1e-12, 1 + 1e-12]), **weights)
    assert np.isfinite(below)
    assert np.isinf(above)


def test_worst_pair_attains_the_worst_case_and_its_members_are_neighbours():
    for prior, n, order in itertools.product(PRIORS, (1, 2, 12), (1.0, 1.04, 2.0, 15.0)):
        (s, n_p), (t, n_q) = FAMILY.worst_pair(prior, n, order, data_weight=0.5)
        assert n_p == n_q == n
        assert abs(s - t) == 1
        assert 0 <= min(s, t) < max(s, t) <= n
        level = FAMILY.worst_case_divergence(prior, n, order, data_weight=0.5)
        exact = reference.worst_renyi(prior, n, order, data_weight=0.5, pairs=[(s, t)])
        assert reference.relative_error(level, exact) < 1e-12


# -- the family ----------------------------------------------------------------------------------------------------


def test_log_density_is_that_of_the_logit_of_a_beta_variable_and_the_posterior_adds_weighted_counts():
    rho = np.linspace(0.001, 0.999, 37)
    jacobian = np.log(rho) + np.log1p(-rho)  # dρ = ρ(1−ρ) dθ
    theta = np.log(rho) - np.log1p(-rho)
    value = FAMILY.log_density(law(38.0, 80.0), theta)
    assert value == pytest.approx(beta_law.logpdf(rho, 38, 80) + jacobian, rel=1e-12, abs=1e-12)
    parameter = FAMILY.posterior((6, 18), np.array([0, 32]), 100, data_weight=0.5, prior_weight=2.0)
    assert np.array_equal(parameter, [[12, 74], [28, 58]])
    assert np.array_equal(FAMILY.law([[6, 18], [1, 2]]), [[6, 12], [1, 1]])
