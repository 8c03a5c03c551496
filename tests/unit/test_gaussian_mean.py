"""The mean of clipped normal records: closed forms against mpmath, quadrature and enumeration."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf
from scipy.integrate import quad
from scipy.stats import norm

import reference
from dpsampling.errors import InputError
from dpsampling.mechanisms.calibration import PARAMETER_ROUNDING
from dpsampling.mechanisms.families.gaussian_mean import GaussianMean
from dpsampling.mechanisms.posterior import ConcentratedPosterior, DiffusedPosterior, DirectPosterior
from dpsampling.mechanisms.public_data import with_public_data

FAMILY = GaussianMean(variance=2.25, bound=1.5)
PRIOR = (1.0, 4.0)
SCALED = [DiffusedPosterior, ConcentratedPosterior]
ORDERS = [1.0, 1.001, 2.0, 15.0, 1e4]


# -- the second computation: eq. (5.15) itself with the log-normaliser in mpmath ------------------------------------


def log_normaliser(variance, eta):
    """ln ∫ exp(η¹θ − η²σ²θ²/2) dθ."""
    first, last = eta
    return first**2 / (2 * variance * last) + mpmath.log(2 * mpmath.pi / (variance * last)) / 2


def exact_renyi(variance, p, q, order):
    with mp.workdps(150):  # C cancels by η², order by order
        variance, order = mpf(variance), mpf(order)
        p, q = [mpf(x) for x in p], [mpf(x) for x in q]
        if order == 1:
            mean, spread = p[0] / (variance * p[1]), 1 / (variance * p[1])
            dot = (p[0] - q[0]) * mean - (p[1] - q[1]) * variance * (mean**2 + spread) / 2
            return dot + log_normaliser(variance, q) - log_normaliser(variance, p)
        mixed = [order * a + (1 - order) * b for a, b in zip(p, q, strict=True)]
        if mixed[1] <= 0:
            return mpf("inf")
        gap = log_normaliser(variance, mixed) - order * log_normaliser(variance, p)
        return gap / (order - 1) + log_normaliser(variance, q)


def exact_pair(prior, n, s, t, order, data_weight=1, prior_weight=1, variance=FAMILY.variance):
    """R_λ of the posteriors of sums s and t of n records, the weights being exact."""
    with mp.workdps(150):
        r, w = mpf(data_weight), mpf(prior_weight)
        last = w * mpf(prior[1]) + r * n
        p, q = ((w * mpf(prior[0]) + r * mpf(x), last) for x in (s, t))
        return exact_renyi(variance, p, q, order)


# -- the divergence of two members ---------------------------------------------------------------------------------


def law(eta, variance=FAMILY.variance):
    """θ = μ/σ² for μ with mean η¹/η² and variance σ²/η²."""
    return norm(eta[0] / eta[1] / variance, math.sqrt(variance / eta[1]) / variance)


@pytest.mark.parametrize("order", [1.0, 1.5, 2.0, 5.0])
@pytest.mark.parametrize(("p", "q"), [((1, 4), (2, 4)), ((-3, 10), (1, 9)), ((2, 9), (3, 10)), ((0, 5), (0, 5.5))])
def test_renyi_divergence_is_the_integral_of_the_densities(p, q, order):
    log_p, log_q = law(p).logpdf, law(q).logpdf

    def integrand(theta):
        if order == 1:
            return math.exp(log_p(theta)) * (log_p(theta) - log_q(theta))
        return math.exp(order * log_p(theta) + (1 - order) * log_q(theta))

    moment = sum(quad(integrand, *ends, epsabs=1e-13, epsrel=1e-12)[0] for ends in [(-12, 0), (0, 12)])
    exact = moment if order == 1 else math.log(moment) / (order - 1)
    assert FAMILY.renyi_divergence(p, q, order) == pytest.approx(exact, rel=1e-8, abs=1e-11)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.floats(-50, 50), st.floats(-50, 50), st.floats(-1, 6), st.floats(-1, 6), st.floats(-9, 3), st.booleans())
def test_any_pair_agrees_with_mpmath(first_p, first_q, log_p, log_q, log_order, same):
    p, q = (first_p, 10**log_p), (first_q, 10 ** (log_p if same else log_q))
    order = 1 + 10**log_order
    value = float(FAMILY.renyi_divergence(p, q, order))
    exact = exact_renyi(FAMILY.variance, p, q, order)
    assert value >= 0
    # Two ulps of each input; the pole λη²_P = (λ−1)η²_Q magnifies those of λ.
    mixed = order * p[1] + (1 - order) * q[1]
    slack = 1e-14 * (1 + order * max(p[1], q[1]) / abs(mixed)) if mixed else math.inf
    shift = abs(p[0] * q[1] - q[0] * p[1])
    slack *= 1 + (abs(p[0]) * q[1] + abs(q[0]) * p[1]) / shift if shift else 1
    assert reference.relative_error(value, exact) < slack or abs(value - exact) < 1e-100


def test_near_confluence_keeps_its_digits():
    for order, step in itertools.product([1.0, 1 + 1e-12, 2.0, 15.0], [2.0**-30, 1.0]):
        p, q = (250.0, 1e6), (250.0 - step, 1e6 + step)
        exact = exact_renyi(FAMILY.variance, p, q, order)
        assert reference.relative_error(FAMILY.renyi_divergence(p, q, order), exact) < 1e-12


def test_order_infinity_is_the_supremum_of_the_log_ratio():
    p, q = (3.0, 10.0), (1.0, 7.0)
    theta = np.linspace(-3, 3, 1_000_001)
    supremum = np.max(law(p).logpdf(theta) - law(q).logpdf(theta))
    assert FAMILY.renyi_divergence(p, q, np.inf) == pytest.approx(supremum, rel=1e-10)
    assert FAMILY.renyi_divergence(q, p, np.inf) == np.inf
    assert FAMILY.renyi_divergence(p, (1.0, 10.0), np.inf) == np.inf
    assert FAMILY.renyi_divergence(p, p, np.inf) == 0


def test_divergence_is_infinite_from_the_order_where_the_mixture_is_not_normalizable():
    p, q = (0.0, 6.0), (0.0, 7.0)  # λ·6 + (1−λ)·7 = 7 − λ
    assert np.isfinite(FAMILY.renyi_divergence(p, q, 7.0 * (1 - 1e-14)))
    assert np.all(FAMILY.renyi_divergence(p, q, np.array([7.0, 8.0, 1e6, np.inf])) == np.inf)


# -- the supremum over neighbouring data ---------------------------------------------------------------------------


@pytest.mark.parametrize("weights", [{}, {"data_weight": 0.3}, {"prior_weight": 2.5}])
@pytest.mark.parametrize("prior", [PRIOR, (-30.0, 0.05), (0.0, 1e4)])
def test_worst_case_is_the_maximum_over_neighbouring_data_sets(prior, weights):
    values = np.array([-1.5, -0.4, 0.0, 1.1, 1.5])
    for n, order in itertools.product((1, 2, 3), ORDERS):
        exact = max(
            exact_pair(prior, n, sum(others) + x, sum(others) + y, order, **weights)
            for others in itertools.combinations_with_replacement(values, n - 1)
            for x, y in itertools.permutations(values, 2)
        )
        assert reference.relative_error(FAMILY.worst_case_divergence(prior, n, order, **weights), exact) < 1e-12


@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e-9])
def test_worst_case_at_a_million_records(scale):
    n = 10**6
    for order, level in zip(ORDERS, FAMILY.worst_case_divergence(PRIOR, n, ORDERS, data_weight=scale), strict=True):
        exact = exact_pair(PRIOR, n, 1e5 - 1.5, 1e5 + 1.5, order, data_weight=scale)
        assert reference.relative_error(level, exact) < 1e-13


def test_supplement_would_under_report_by_a_factor_of_four():
    # A.6.2 bounds ‖η_P − η_Q‖ by Δ; records at −Δ and Δ are 2Δ apart, and the level grows with the square.
    printed = exact_pair(PRIOR, 10, 0, FAMILY.bound, 2.0)
    assert FAMILY.worst_case_divergence(PRIOR, 10, 2.0) == pytest.approx(4 * float(printed), rel=1e-14)


def test_every_finite_order_has_a_finite_level_and_order_infinity_none():
    assert FAMILY.order_horizon(PRIOR) == math.inf
    assert np.isfinite(FAMILY.worst_case_divergence(PRIOR, 1, 1e50))
    assert FAMILY.worst_case_divergence(PRIOR, 10, np.inf) == np.inf
    guarantee = DirectPosterior(FAMILY, PRIOR, 10).guarantee
    assert guarantee.horizon == math.inf
    assert np.isfinite(guarantee.epsilon(1e6))
    assert guarantee.epsilon(math.inf) == math.inf


@pytest.mark.parametrize("n", [1, 2, 100])
def test_worst_pair_attains_the_worst_case_and_its_members_are_neighbours(n):
    (s, n_p), (t, n_q) = FAMILY.worst_pair(PRIOR, n, 2.0, data_weight=0.5)
    assert n_p == n_q == n
    assert abs(s - t) == 2 * FAMILY.bound == FAMILY.sensitivity
    FAMILY.check_statistic([s, t], n)
    level = FAMILY.worst_case_divergence(PRIOR, n, 2.0, data_weight=0.5)
    assert reference.relative_error(level, exact_pair(PRIOR, n, s, t, 2.0, data_weight=0.5)) < 1e-13


# -- Algorithms 1 to 3 ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mechanism", SCALED)
@pytest.mark.parametrize("n", [1, 100, 10**6])
def test_calibrated_scale_keeps_its_promise_in_exact_arithmetic_and_no_larger_one_does(mechanism, n):
    def exact(order, scale):
        with mp.workdps(150):
            kept = {"data_weight": scale} if mechanism is DiffusedPosterior else {"prior_weight": 1 / mpf(scale)}
            return exact_pair(PRIOR, n, -FAMILY.bound, FAMILY.bound, order, **kept)

    for order, epsilon in itertools.product((1.01, 2.0, 200.0), (1e-9, 1e-3, 1.0, 50.0)):
        calibrated = mechanism.calibrate(FAMILY, PRIOR, n, order=order, epsilon=epsilon)
        assert calibrated.guarantee.epsilon(order) <= epsilon
        assert exact(order, calibrated.scale) <= epsilon
        # The promise is kept with a margin of 2^-40 of its value and of the rounding of η¹ against 2rΔ. The more
        # records there are beside the prior's, the less the level says of the scale.
        scale = calibrated.scale
        rounding = PARAMETER_ROUNDING * (PRIOR[0] / scale + n * FAMILY.bound) / FAMILY.sensitivity
        slack = (2e-12 + 4 * rounding) * (1 + n * scale / PRIOR[1])
        assert slack < 2e-3
        assert scale == 1 or exact(order, scale * (1 + slack)) > epsilon


def test_algorithms_1_to_3_work_unchanged():
    rng = np.random.default_rng(1)
    assert np.array_equal(DirectPosterior(FAMILY, PRIOR, 100).output_parameter(20), [21, 104])
    assert np.array_equal(DiffusedPosterior(FAMILY, PRIOR, 100, 0.5).output_parameter(20), [11, 54])
    assert np.array_equal(ConcentratedPosterior(FAMILY, PRIOR, 100, 0.25).output_parameter(20), [24, 116])
    for mechanism in (DirectPosterior, *SCALED):
        draws = mechanism(FAMILY, PRIOR, 100).simulate(20, rng, 5)
        assert draws.shape == (5,)
        assert mechanism(FAMILY, PRIOR, 100).log_density(draws, 20).shape == (5,)
    level = FAMILY.worst_case_divergence(PRIOR, 100, 2.0)
    assert DirectPosterior.calibrate(FAMILY, PRIOR, 100, order=2.0, epsilon=level * 1.01).scale == 1
    with pytest.raises(InputError, match=r"^epsilon is .*its level there is"):
        DirectPosterior.calibrate(FAMILY, PRIOR, 100, order=2.0, epsilon=level * 0.99)


def test_public_records_help_unless_they_come_out_of_the_data_at_scale_one():
    joined = with_public_data(FAMILY, PRIOR, 10.0, 40)
    assert np.array_equal(joined, [11, 44])
    before = [mechanism(FAMILY, PRIOR, 100, 0.5).guarantee.epsilon(2.0) for mechanism in SCALED]
    after = [mechanism(FAMILY, joined, 60, 0.5).guarantee.epsilon(2.0) for mechanism in SCALED]
    assert np.all(np.array(after) < before)
    direct = [DirectPosterior(FAMILY, *case).guarantee.epsilon(2.0) for case in [(PRIOR, 100), (joined, 60)]]
    assert direct[1] == pytest.approx(direct[0], rel=1e-14)  # the margin of the scale weighs a little less
    assert DirectPosterior(FAMILY, joined, 100).guarantee.epsilon(2.0) < direct[0]


# -- the family ----------------------------------------------------------------------------------------------------


def test_log_density_is_that_of_the_natural_parameter():
    theta = np.linspace(-2, 2, 41)
    parameter = np.array([3.0, 7.0])
    assert FAMILY.log_density(parameter, theta) == pytest.approx(law(parameter).logpdf(theta), rel=1e-12)
    natural = parameter[0] * theta - parameter[1] * FAMILY.variance * theta**2 / 2 - FAMILY.log_partition(parameter)
    assert FAMILY.log_density(parameter, theta) == pytest.approx(natural, rel=1e-12)


def test_posterior_is_bayes_rule():
    records, theta = np.array([0.3, -1.2, 1.4]), np.linspace(-1.5, 1.5, 13)
    likelihood = norm(FAMILY.mean(theta)[:, np.newaxis], math.sqrt(FAMILY.variance)).logpdf(records).sum(axis=1)
    posterior = FAMILY.posterior(PRIOR, FAMILY.statistic(records), 3)
    by_bayes = law(PRIOR).logpdf(theta) + likelihood - FAMILY.log_density(posterior, theta)
    assert np.ptp(by_bayes) < 1e-12


def test_records_are_clipped_before_they_are_added():
    assert FAMILY.statistic([0.5, -99.0, 2.0, math.inf, -1.0]) == 0.5 - 1.5 + 1.5 + 1.5 - 1.0
    family = GaussianMean(1.0, 0.1)
    family.check_statistic(family.statistic([1.0] * 10), 10)  # ten tenths make more than one, by rounding
    with pytest.raises(InputError, match=r"^records contains .*\.$"):
        FAMILY.statistic([0.5, math.nan])


@pytest.mark.parametrize("bound", [None, math.inf, 0, -1, math.nan])
def test_unbounded_records_are_refused_with_the_advice_to_clip(bound):
    with pytest.raises(InputError, match=r"^bound is .*clip them to .*\.$"):
        GaussianMean(1.0, bound)


@pytest.mark.parametrize("variance", [0, -1, math.inf, math.nan])
def test_bad_variance_is_refused_by_name(variance):
    with pytest.raises(InputError, match=r"^variance is .*\.$"):
        GaussianMean(variance, 1.0)


@pytest.mark.parametrize(("bound", "n"), [(0.1, 13), (0.1, 7), (0.3, 999), (1e-3, 10_001)])
def test_sums_of_records_that_are_all_clipped_are_sums_that_it_accepts(bound, n):
    family, rng = GaussianMean(1e-6, bound), np.random.default_rng(1)
    for population, sign in ((10.0, 1.0), (-10.0, -1.0)):
        drawn = family.simulate(population, n, rng, 3)
        np.testing.assert_allclose(family.check_statistic(drawn, n), sign * n * bound, rtol=1e-13)
