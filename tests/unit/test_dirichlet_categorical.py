"""The Dirichlet-Categorical system against mpmath, quadrature and enumeration of all data sets."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf
from scipy.special import betaln

import reference
from dpsampling.errors import InputError
from dpsampling.mechanisms.calibration import PARAMETER_ROUNDING
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.families.dirichlet_categorical import DirichletCategorical
from dpsampling.mechanisms.posterior import ConcentratedPosterior, DiffusedPosterior, DirectPosterior
from dpsampling.mechanisms.public_data import with_public_data

FAMILY = DirichletCategorical()
SCALED = [DiffusedPosterior, ConcentratedPosterior]
SHAPES = [(1.0, 1.0, 1.0), (0.05, 3.0, 0.4), (6.0, 12.0, 0.5), (2.0, 0.25, 0.25, 9.0), (0.125, 40.0, 0.5, 0.125)]
ORDERS = [1.0, 1.001, 1.04, 2.0, 6.9, 15.0]


# -- the second computation: 80 digits on the exact values of the floats -------------------------------------------


def eta(shapes):
    """η of shapes whose sum is exact in floating point, or nearly."""
    return np.array([*shapes[:-1], math.fsum(shapes)])


def exact_shapes(parameter):
    """(α_1, …, α_d) of the floats in η, the last by exact subtraction."""
    first = [mpf(float(a)) for a in parameter[:-1]]
    return [*first, mpf(float(parameter[-1])) - sum(first)]


def log_normaliser(shapes):
    return sum(mpmath.loggamma(a) for a in shapes) - mpmath.loggamma(sum(shapes))


def exact_renyi(p, q, order):
    """ln E_Q[(P/Q)^λ]/(λ−1) of two lists of shapes."""
    order = mpf(order)
    if order == 1:
        psi = mpmath.digamma
        mean = sum((a - c) * (psi(a) - psi(sum(p))) for a, c in zip(p, q, strict=True))
        return mean + log_normaliser(q) - log_normaliser(p)
    mixed = [order * a + (1 - order) * c for a, c in zip(p, q, strict=True)]
    if min(mixed) <= 0:
        return mpf("inf")
    return (log_normaliser(mixed) - order * log_normaliser(p)) / (order - 1) + log_normaliser(q)


def exact_pair(prior, p_counts, q_counts, order, data_weight=1, prior_weight=1):
    """R_λ of the posteriors of two lists of d counts."""
    with mp.workdps(reference.DIGITS):
        base = [mpf(prior_weight) * a for a in exact_shapes(prior)]
        p, q = ([b + mpf(data_weight) * mpf(c) for b, c in zip(base, x, strict=True)] for x in (p_counts, q_counts))
        return exact_renyi(p, q, order)


def neighbours(categories, n):
    """Every ordered pair of data sets of n records that differ in one of them, as counts of all categories."""
    for others in itertools.product(range(n), repeat=categories):
        if sum(others) == n - 1:
            for i, j in itertools.permutations(range(categories), 2):
                yield tuple(np.array(others) + np.eye(categories)[i]), tuple(np.array(others) + np.eye(categories)[j])


def exact_worst(prior, n, order, **weights):
    return max(exact_pair(prior, p, q, order, **weights) for p, q in neighbours(len(prior), n))


def exact_least_two(prior, order, **weights):
    """The two rarest categories in both directions, for d ≥ 3 and sizes where `exact_worst` cannot go."""
    i, j = np.argsort([float(a) for a in exact_shapes(prior)])[:2]
    with mp.workdps(reference.DIGITS):
        record = np.eye(len(prior))
        pairs = [(record[i], record[j]), (record[j], record[i])]
        return max(exact_pair(prior, p, q, order, **weights) for p, q in pairs)


# -- the divergence of two members ---------------------------------------------------------------------------------


def log_dirichlet(shapes, log_rho):
    """The density of θ = (ln ρ_j/ρ_d)_j, through the C library's log-gamma."""
    constant = math.lgamma(sum(shapes)) - sum(map(math.lgamma, shapes))
    return constant + sum(a * x for a, x in zip(shapes, log_rho, strict=True))


# The trapezoidal rule on a smooth function that vanishes at both ends converges faster than any power of the step.
GRID = np.linspace(-60, 60, 1201)
CELL = (GRID[1] - GRID[0]) ** 2
THETA = np.stack(np.meshgrid(GRID, GRID, indexing="ij"), axis=-1)
LOG_RHO_LAST = -np.logaddexp(0, np.logaddexp(THETA[..., 0], THETA[..., 1]))
LOG_RHO = (THETA[..., 0] + LOG_RHO_LAST, THETA[..., 1] + LOG_RHO_LAST, LOG_RHO_LAST)


@pytest.mark.parametrize("order", [1.0, 1.5, 2.0])
@pytest.mark.parametrize(("p", "q"), [((6, 12, 2), (7, 11, 2)), ((3.5, 2, 1), (3, 2.2, 1.6)), ((1, 1, 1), (1.2, 1, 1))])
def test_renyi_divergence_is_the_integral_of_the_densities(p, q, order):
    log_p, log_q = log_dirichlet(p, LOG_RHO), log_dirichlet(q, LOG_RHO)
    if order == 1:
        exact = np.sum(np.exp(log_p) * (log_p - log_q)) * CELL
    else:
        exact = math.log(np.sum(np.exp(order * log_p + (1 - order) * log_q)) * CELL) / (order - 1)
    assert FAMILY.renyi_divergence(p, q, order) == pytest.approx(exact, rel=1e-8, abs=1e-11)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.floats(-1, 4), min_size=6, max_size=6), st.floats(-6, 2))
def test_any_pair_agrees_with_mpmath_to_1e_9(logs, log_order):
    p, q = [10**x for x in logs[:3]], [10**x for x in logs[3:]]
    order = 1 + 10**log_order
    value = FAMILY.renyi_divergence(p, q, order)
    with mp.workdps(reference.DIGITS):
        exact = exact_renyi([*map(mpf, p)], [*map(mpf, q)], order)
    assert value >= 0
    # Shapes and total of different size cancel; between neighbours nothing does, see below. At P = Q both are 0.
    assert reference.relative_error(value, exact) < 1e-9 or (value == 0 and p == q)


@pytest.mark.parametrize("order", [1.0, 1 + 1e-12, 1.001, 2.0])
@pytest.mark.parametrize("step", [2.0**-30, 2.0**-10, 1.0])
def test_near_confluence_keeps_its_digits(order, step):
    p, q = (320_006.0, 680_012.0, 5e5), (320_006.0 - step, 680_012.0, 5e5 + step)
    with mp.workdps(reference.DIGITS):
        exact = exact_renyi([*map(mpf, p)], [*map(mpf, q)], order)
    assert reference.relative_error(FAMILY.renyi_divergence(p, q, order), exact) < 1e-12


def test_order_infinity_is_the_supremum_of_the_log_ratio():
    p, q = (7.5, 13.0, 3.0), (6.0, 12.0, 3.0)
    supremum = np.max(log_dirichlet(p, LOG_RHO) - log_dirichlet(q, LOG_RHO))
    # ρ₃ = 0 is approached like e^−60; the grid misses a smooth maximum by its curvature times the square of its step.
    assert FAMILY.renyi_divergence(p, q, np.inf) == pytest.approx(supremum, abs=1e-2)
    assert FAMILY.renyi_divergence(p, q, np.inf) >= supremum
    assert FAMILY.renyi_divergence(p, q, 1e9) == pytest.approx(float(FAMILY.renyi_divergence(p, q, np.inf)), rel=1e-7)
    assert FAMILY.renyi_divergence(q, p, np.inf) == np.inf
    assert FAMILY.renyi_divergence(p, p, np.inf) == 0


def test_divergence_is_never_nan_nor_negative_and_broadcasts():
    points = np.array(list(itertools.product([0.05, 1.0, 1e6], repeat=3)))
    orders = np.array([1.0, 1 + 1e-15, 2.0, 50.0, 1e6, np.inf])
    levels = FAMILY.renyi_divergence(points[:, None, None], points[None, :, None], orders)
    assert levels.shape == (27, 27, 6)
    assert np.all(levels >= 0)
    assert np.all(levels[np.arange(27), np.arange(27)] == 0)
    assert FAMILY.kl_divergence(points[1], points[0]) == levels[1, 0, 0]


# -- the supremum over neighbouring data ---------------------------------------------------------------------------


@pytest.mark.parametrize("weights", [{}, {"data_weight": 0.3}, {"prior_weight": 2.5}])
@pytest.mark.parametrize("shapes", SHAPES)
def test_worst_case_is_the_maximum_over_all_neighbouring_data_sets(shapes, weights):
    prior = eta(shapes)
    for n in (1, 2, 3) if len(shapes) == 3 else (1, 2):
        for order, level in zip(ORDERS, FAMILY.worst_case_divergence(prior, n, ORDERS, **weights), strict=True):
            assert reference.relative_error(level, exact_worst(prior, n, order, **weights)) < 1e-12


@pytest.mark.parametrize("shapes", SHAPES)
def test_no_point_inside_the_simplex_is_worse(shapes):
    # The other n − 1 records at any real counts, drawn near the middle, the edges and the corners.
    rng, n, prior = np.random.default_rng(3), 4, eta(shapes)
    d = len(shapes)
    for order in (1.04, 2.0):
        level = mpf(float(FAMILY.worst_case_divergence(prior, n, order, data_weight=0.2)))
        for concentration in (5.0, 0.3, 0.02):
            for others in rng.dirichlet(np.full(d, concentration), 15) * (n - 1):
                i, j = rng.permutation(d)[:2]
                p, q = others + np.eye(d)[i], others + np.eye(d)[j]
                assert exact_pair(prior, p, q, order, data_weight=0.2) <= level * (1 + mpf("1e-12"))


def test_a_worst_case_at_the_ends_of_one_edge_would_be_too_small():
    # The planted bug: d = 3 treated like d = 2, with all other records in the two categories of the pair.
    prior, n, order = eta((1.0, 1.0, 1.0)), 3, 1.5
    edge = max(exact_pair(prior, p, q, order) for p, q in neighbours(3, n) if p[2] == q[2] == 0)
    assert edge < 0.9 * exact_worst(prior, n, order)


def test_records_split_between_categories_would_need_a_larger_level():
    # Why counts are whole numbers: a record that is half one rare category and half another reveals both.
    prior, order = eta((0.01, 0.01, 0.01)), 1.001
    split = exact_pair(prior, (0.5, 0.5, 0), (0, 0, 1), order)
    assert split > 1.01 * FAMILY.worst_case_divergence(prior, 1, order)


@pytest.mark.parametrize("n", [1, 2, 3, 100, 10**6])
@pytest.mark.parametrize("prior", [(6.0, 18.0), (1.0, 2.0), (0.05, 300.05), (40.0, 40.5), (12.3, 12.7)])
def test_two_categories_are_beta_bernoulli(prior, n):
    beta = BetaBernoulli()
    orders = np.array([1.0, 1.001, 2.0, 6.9, 15.0, np.inf])[:, np.newaxis]
    scales = np.array([1e-6, 0.1, 0.3, 1.0])
    for weights in ({"data_weight": scales}, {"prior_weight": 1 / scales}):
        expected = beta.worst_case_divergence(prior, n, orders, **weights)
        levels = FAMILY.worst_case_divergence(prior, n, orders, **weights)
        # The same sums, but over arrays of another layout, where numpy's loops may round otherwise.
        assert levels == pytest.approx(expected, rel=1e-15, abs=0)
    assert FAMILY.order_horizon(prior, data_weight=0.3) == beta.order_horizon(prior, data_weight=0.3)
    for order in (1.04, 2.0, 1e3):
        ours, theirs = FAMILY.worst_pair(prior, n, order), beta.worst_pair(prior, n, order)
        levels = [exact_pair(prior, *[(s, n - s) for s, _ in pair], order) for pair in (ours, theirs)]
        assert reference.relative_error(float(levels[0]), levels[1]) < 1e-12
    q = beta.law(prior)
    p = q + 0.5
    assert FAMILY.renyi_divergence(p, q, orders) == pytest.approx(beta.renyi_divergence(p, q, orders), rel=1e-14)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.floats(-2, 4), st.floats(-2, 4), st.floats(0, 6), st.floats(-9, 2.3), st.floats(-9, 0), st.booleans())
def test_one_of_the_four_pairs_of_two_categories_is_always_worst(log_a, log_b, log_n, log_order, log_scale, diffused):
    prior, n, order = eta((10**log_a, 10**log_b)), int(10**log_n), 1 + 10**log_order
    weights = {"data_weight": 10**log_scale} if diffused else {"prior_weight": 10**-log_scale}
    level = FAMILY.worst_case_divergence(prior, n, order, **weights)
    # A pair that is not the worst may tie with it, and rounding then decides.
    four = BetaBernoulli().worst_case_divergence(prior, n, order, **weights)
    assert level == pytest.approx(float(four), rel=1e-15, abs=0)


@pytest.mark.parametrize("scale", [1.0, 0.1, 1e-3, 1e-9])
def test_worst_case_of_many_categories_and_a_million_records(scale):
    prior = eta(0.05 + np.round(np.random.default_rng(8).exponential(2.0, 30) * 2**20) / 2**20)
    orders = np.array([1.0, 1.001, 1.04, 2.0, 15.0])
    for weights in ({"data_weight": scale}, {"prior_weight": 1 / scale}):
        for order, level in zip(orders, FAMILY.worst_case_divergence(prior, 10**6, orders, **weights), strict=True):
            exact_weights = {"prior_weight": 1 / scale} if "prior_weight" in weights else weights
            assert reference.relative_error(level, exact_least_two(prior, order, **exact_weights)) < 1e-12


def test_level_does_not_depend_on_n_beyond_two_categories():
    first, *rest = (FAMILY.worst_case_divergence(eta((1.0, 2.0, 3.0)), n, ORDERS) for n in (1, 7, 10**6))
    assert all(np.array_equal(levels, first) for levels in rest)


@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize(("data_weight", "prior_weight"), [(1.0, 1.0), (0.25, 1.0), (1.0, 8.0)])
def test_horizon_is_one_plus_the_least_shape_over_the_step(shapes, data_weight, prior_weight):
    weights = {"data_weight": data_weight, "prior_weight": prior_weight}
    horizon = FAMILY.order_horizon(eta(shapes), **weights)
    assert horizon == pytest.approx(1 + min(shapes) * prior_weight / data_weight, rel=1e-14)
    below, above = FAMILY.worst_case_divergence(eta(shapes), 5, horizon * np.array([1 - 1e-12, 1 + 1e-12]), **weights)
    assert np.isfinite(below)
    assert np.isinf(above)


@pytest.mark.parametrize("shapes", [(2.0, 1.0), *SHAPES])
def test_worst_pair_attains_the_worst_case_and_its_members_are_neighbours(shapes):
    prior = eta(shapes)
    for n, order in itertools.product((1, 2, 12), (1.0, 1.04, 2.0, 15.0)):
        p, q = FAMILY.worst_pair(prior, n, order, data_weight=0.5)
        assert p[-1] == q[-1] == n
        p, q = ((*c[:-1], n - sum(c[:-1])) for c in (p, q))
        assert min(*p, *q) >= 0
        assert sorted(np.subtract(p, q)) == [-1, *[0] * (len(shapes) - 2), 1]
        level = FAMILY.worst_case_divergence(prior, n, order, data_weight=0.5)
        assert reference.relative_error(level, exact_pair(prior, p, q, order, data_weight=0.5)) < 1e-12


# -- Algorithms 1 to 3 ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mechanism", SCALED)
@pytest.mark.parametrize("shapes", SHAPES[:4])
def test_calibrated_scale_keeps_its_promise_in_exact_arithmetic_and_no_larger_one_does(mechanism, shapes):
    prior, n = eta(shapes), 2

    def exact(order, scale):
        with mp.workdps(reference.DIGITS):
            kept = {"data_weight": scale} if mechanism is DiffusedPosterior else {"prior_weight": 1 / mpf(scale)}
            return exact_worst(prior, n, order, **kept)

    for order, epsilon in itertools.product((1.5, 2.0, 15.0), (1e-6, 0.01, 3.0)):
        calibrated = mechanism.calibrate(FAMILY, prior, n, order=order, epsilon=epsilon)
        assert calibrated.guarantee.epsilon(order) <= epsilon
        assert exact(order, calibrated.scale) <= epsilon
        # The promise is kept with a margin of 2^-40 of its value, and of the rounding of shapes against the step.
        slack = 1e-9 + 4 * PARAMETER_ROUNDING * (1 + sorted(shapes)[1] / calibrated.scale)
        assert calibrated.scale == 1 or exact(order, calibrated.scale * (1 + slack)) > epsilon


def test_algorithms_1_to_3_work_unchanged():
    prior, counts, rng = (6.0, 4.0, 18.0), [20, 30], np.random.default_rng(1)
    assert np.array_equal(DirectPosterior(FAMILY, prior, 100).output_parameter(counts), [26, 34, 58])
    assert np.array_equal(DiffusedPosterior(FAMILY, prior, 100, 0.5).output_parameter(counts), [16, 19, 33])
    assert np.array_equal(ConcentratedPosterior(FAMILY, prior, 100, 0.25).output_parameter(counts), [44, 46, 82])
    for mechanism in (DirectPosterior, *SCALED):
        draws = mechanism(FAMILY, prior, 100).simulate(counts, rng, 5)
        assert draws.shape == (5, 2)
        assert mechanism(FAMILY, prior, 100).simulate(counts, rng).shape == (2,)
        assert mechanism(FAMILY, prior, 100).log_density(draws, counts).shape == (5,)


def test_level_grows_with_the_scale():
    scales = np.geomspace(1e-6, 1, 200)
    for mechanism, shapes in itertools.product(SCALED, SHAPES):
        levels = mechanism.divergence(FAMILY, eta(shapes), 3, np.array([[1.01], [2.0], [15.0]]), scales)
        with np.errstate(invalid="ignore"):  # equal infinities are no decrease
            steps = np.diff(levels, axis=1)
        assert np.all((steps > 0) | np.isnan(steps))


def test_hundreds_of_categories_are_calibrated():
    """By enumeration of all pairs this would take minutes."""
    prior = eta(np.random.default_rng(2).uniform(0.5, 5.0, 200))
    assert DiffusedPosterior.calibrate(FAMILY, prior, 10**4, order=2.0, epsilon=0.1).guarantee.epsilon(2.0) <= 0.1


# -- public data, section 5.3.1 ------------------------------------------------------------------------------------


def test_public_records_join_the_prior_and_the_level_falls_where_the_rarest_categories_gain():
    prior = eta((1.0, 2.0, 3.0, 4.0))
    joined = with_public_data(FAMILY, prior, [5, 5, 0], 10)
    assert np.array_equal(joined, [6, 7, 3, 20])
    private, partly_public = (DirectPosterior(FAMILY, eta_0, 50).guarantee for eta_0 in (prior, joined))
    assert partly_public.horizon > private.horizon
    for order in (1.1, 1.5, 1.9):
        exact = exact_least_two(joined, order)
        assert partly_public.epsilon(order) == pytest.approx(float(exact), rel=1e-11)
        assert partly_public.epsilon(order) < private.epsilon(order)


def test_public_records_elsewhere_leave_the_level_as_it_is():
    levels = [
        [FAMILY.worst_case_divergence(eta_0, 50, order) for order in (1.1, 1.5, 1.9)]
        for prior, counts in [((1.0, 2.0, 3.0, 4.0), [0, 0, 10]), ((1.0, 1.0, 1.0, 1.0), [10, 0, 0])]
        for eta_0 in (eta(prior), with_public_data(FAMILY, eta(prior), counts, 10))
    ]
    assert levels[0] == levels[1]
    assert levels[2] == levels[3]  # two entries of 1 are still there


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.lists(st.floats(0.1, 5.0), min_size=2, max_size=4), st.data())
def test_public_records_never_worsen_the_level(shapes, data):
    prior, n = eta(shapes), 8
    public_n = data.draw(st.integers(1, n - 1))
    cuts = sorted(data.draw(st.lists(st.integers(0, public_n), min_size=len(shapes) - 1, max_size=len(shapes) - 1)))
    joined = with_public_data(FAMILY, prior, np.diff([0, *cuts]), public_n)
    for weights in ({}, {"data_weight": 0.3}, {"prior_weight": 4.0}):
        for order in (1.05, 2.0):
            before = FAMILY.worst_case_divergence(prior, n, order, **weights)
            # Out of the data, and besides them. Where nothing changes, rounding of the total may.
            assert FAMILY.worst_case_divergence(joined, n - public_n, order, **weights) <= before * (1 + 1e-12)
            assert FAMILY.worst_case_divergence(joined, n, order, **weights) <= before * (1 + 1e-12)


# -- the family ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shapes", [(6.0, 12.0, 2.0), (0.5, 0.5, 3.0)])
def test_log_density_is_a_density_of_theta(shapes):
    log_density = FAMILY.log_density(shapes, THETA)
    assert np.sum(np.exp(log_density)) * CELL == pytest.approx(1, rel=1e-9)
    exact = log_dirichlet(shapes, LOG_RHO)
    assert np.max(np.abs(log_density - exact) / (1 + np.abs(exact))) < 1e-12


def test_log_density_keeps_its_digits_where_one_category_is_nearly_certain():
    shapes, theta = (2.0**40, 2.0, 3.0), (30.0, 1.0)
    with mp.workdps(50):
        odds = [*map(mpmath.exp, theta), mpf(1)]
        log_rho = [mpmath.log(x / sum(odds)) for x in odds]
        exact = sum(a * x for a, x in zip(shapes, log_rho, strict=True)) - log_normaliser(shapes)
        # θ₁ − ln Σ e^θ in floating point would be off by 2^40 times an ulp of 30, that is .004.
        assert float(FAMILY.log_density(shapes, theta)) == pytest.approx(float(exact), abs=1e-11)
        assert FAMILY.probabilities(theta) == pytest.approx([float(mpmath.exp(x)) for x in log_rho], rel=1e-14)


def test_log_partition_is_a_sum_of_log_gammas_and_the_posterior_broadcasts():
    assert FAMILY.log_partition([6.0, 12.0]) == betaln(6.0, 12.0)
    shapes = (0.5, 30.0, 2.0, 1.0)
    exact = sum(map(math.lgamma, shapes)) - math.lgamma(sum(shapes))
    assert FAMILY.log_partition(np.stack([shapes] * 3)) == pytest.approx([exact] * 3, rel=1e-13)
    counts = np.array([[[0, 0]], [[3, 4]]])
    parameter = FAMILY.posterior([6, 2, 9], counts, 10, data_weight=[0.5, 1.0, 0.1], prior_weight=2.0)
    assert parameter.shape == (2, 3, 3)
    assert np.array_equal(parameter[1, 0], [13.5, 6, 3.5])


def test_draws_have_the_shape_asked_for_and_follow_the_generator():
    parameter = np.array([(1.0, 2.0, 3.0), (0.001, 0.002, 1e-6)])
    assert FAMILY.sample(parameter, np.random.default_rng(1)).shape == (2, 2)
    draws = FAMILY.sample(parameter, np.random.default_rng(1), (5, 2))
    assert draws.shape == (5, 2, 2)
    assert np.all(np.isfinite(draws))
    assert np.array_equal(draws, FAMILY.sample(parameter, np.random.default_rng(1), (5, 2)))


def test_counts_of_another_number_of_categories_are_refused():
    with pytest.raises(InputError, match=r"^counts is .*a prior of 3 categories needs the counts of the first 2"):
        DirectPosterior(FAMILY, (1, 1, 3), 100).output_parameter([1, 2, 3])
