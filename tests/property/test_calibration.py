"""The calibrated scale keeps its promise in exact arithmetic, and no larger one does.

The promise is evaluated with mpmath at the real number that the returned float is, over the four reachable end pairs.
"""

import itertools
import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

import reference
from dpsampling.mechanisms.calibration import PARAMETER_ROUNDING, largest_scale
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.posterior import ConcentratedPosterior, DiffusedPosterior

FAMILY = BetaBernoulli()
MECHANISMS = [DiffusedPosterior, ConcentratedPosterior]
# The promise is kept with a margin of 2^-40 of its value: a scale is the largest up to that, times the level's
# sensitivity to it, which is 1 to 2 away from the pole and enormous beside it. And neighbours, which are r apart, are
# taken to be further apart by the rounding of their parameters: so much more of r, the more there is of the prior.
SLACK = 1e-9


def slack(mechanism, prior, scale):
    r, weight = (scale, 1.0) if mechanism is DiffusedPosterior else (1.0, 1.0 / scale)
    lesser = weight * min(prior[0], prior[1] - prior[0])
    # Either shape x adds about r²/x to the level and twice PARAMETER_ROUNDING of x/r to that, or of 3x/r.
    return SLACK + 8 * PARAMETER_ROUNDING * (lesser + r) / r


def exact_level(mechanism, prior, n, order, scale):
    with mp.workdps(reference.DIGITS):
        weights = {"data_weight": scale} if mechanism is DiffusedPosterior else {"prior_weight": 1 / mpf(scale)}
        return reference.worst_renyi(prior, n, order, **weights)


def assert_promise_is_kept_and_tight(mechanism, prior, n, order, epsilon, scale):
    assert 0 < scale <= 1
    assert exact_level(mechanism, prior, n, order, scale) <= epsilon
    larger = scale * (1 + slack(mechanism, prior, scale))
    if larger < 1:
        assert exact_level(mechanism, prior, n, order, larger) > epsilon


@pytest.mark.parametrize("mechanism", MECHANISMS)
@settings(max_examples=50, deadline=None, derandomize=True)
@given(
    log_n=st.floats(0, 6),
    log_alpha=st.floats(math.log10(0.05), 4),
    log_beta=st.floats(math.log10(0.05), 4),
    log_order=st.floats(-2, math.log10(199)),
    log_epsilon=st.floats(-6, math.log10(50)),
)
@example(log_n=6, log_alpha=math.log10(0.05), log_beta=4, log_order=math.log10(199), log_epsilon=math.log10(50))
@example(log_n=0, log_alpha=math.log10(0.05), log_beta=math.log10(0.05), log_order=-2, log_epsilon=-6)
def test_calibrated_scale_keeps_its_promise_and_is_the_largest_that_does(
    mechanism, log_n, log_alpha, log_beta, log_order, log_epsilon
):
    n, prior = int(10**log_n), (10**log_alpha, 10**log_alpha + 10**log_beta)
    order, epsilon = 1 + 10**log_order, 10**log_epsilon
    calibrated = mechanism.calibrate(FAMILY, prior, n, order=order, epsilon=epsilon)
    assert calibrated.guarantee.epsilon(order) <= epsilon
    assert_promise_is_kept_and_tight(mechanism, prior, n, order, epsilon, calibrated.scale)


GRID_PRIORS = [(0.05, 0.1), (1.0, 2.0), (6.0, 18.0), (0.05, 1e4), (1e4, 2e4), (0.3, 0.35)]
GRID_ORDERS = [1.01, 2.0, 7.5, 60.0, 200.0]
GRID_RECORDS = [1, 2, 100, 10**6]


def assert_grid(mechanism, rng, priors, orders, records, points):
    """Random ε in strata from 1e-6 to 50, for every prior, order and n; the top stratum lies beside the pole."""
    strata = np.linspace(-6, math.log10(50), points + 1)
    for prior, order, n in itertools.product(priors, orders, records):
        epsilons = 10 ** rng.uniform(strata[:-1], strata[1:])
        scales = mechanism.calibrated_scales(FAMILY, prior, n, order=order, epsilons=epsilons)
        assert np.all(np.diff(scales) >= 0)
        for epsilon, scale in zip(epsilons, scales, strict=True):
            assert_promise_is_kept_and_tight(mechanism, prior, n, order, epsilon, float(scale))


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_promises_over_a_stratified_grid(mechanism):
    assert_grid(mechanism, np.random.default_rng(5), GRID_PRIORS, GRID_ORDERS[::2], GRID_RECORDS[::3], points=4)


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_promises_over_a_fine_stratified_grid(mechanism):
    assert_grid(mechanism, np.random.default_rng(6), GRID_PRIORS, GRID_ORDERS, GRID_RECORDS, points=40)


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("order", [15.0, 50.0, 200.0])
@pytest.mark.parametrize("prior", [(0.05, 0.1), (6.0, 18.0), (1.0, 1.7)])
def test_large_epsilon_stops_just_short_of_the_pole(mechanism, order, prior):
    lesser = float(min(mpf(prior[0]), mpf(prior[1]) - mpf(prior[0])))
    calibrated = mechanism.calibrate(FAMILY, prior, 100, order=order, epsilon=50.0)
    pole = min(1.0, lesser / (order - 1))
    assert calibrated.scale <= pole
    # At order λ the level is −ln(distance to the pole)/(λ−1) and more: 50 comes within e^{−50(λ−1)} of it, so that
    # only the margins of rounding, 2^-49, a few ulps, and those of a prior of λ − 1 records, remain.
    assert calibrated.scale == pytest.approx(pole, rel=1e-14 + 2 * order * PARAMETER_ROUNDING)
    assert exact_level(mechanism, prior, 100, order, calibrated.scale) <= 50
    assert calibrated.guarantee.epsilon(order) <= 50


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_scale_of_a_millionth_more_breaks_the_promise(mechanism):
    # The planted bug: a search that ends on the wrong side of its bracket.
    for order, epsilon in itertools.product([1.5, 2.0, 15.0], [1e-6, 1e-3, 0.05]):
        scale = mechanism.calibrate(FAMILY, (6, 18), 100, order=order, epsilon=epsilon).scale
        assert exact_level(mechanism, (6, 18), 100, order, scale) <= epsilon
        assert exact_level(mechanism, (6, 18), 100, order, scale * (1 + 1e-6)) > epsilon


def test_bisection_ends_on_neighbouring_floats():
    thresholds = np.array([1e-100, 0.1, 1 / 3, 0.75])

    def step(scale):
        return np.where(scale <= thresholds, 0.0, np.inf)

    assert np.array_equal(largest_scale(step, np.ones(4)), thresholds)


def test_bisection_returns_one_where_every_scale_is_private():
    assert np.array_equal(largest_scale(lambda scale: scale, np.array([1.0, 2.0])), [1.0, 1.0])
