"""Calibration to (ε, δ): the order is free, the promise is kept, and nothing less distorted keeps it."""

import math
from functools import partial

import numpy as np
import pytest
from dp_accounting.rdp.rdp_privacy_accountant import compute_epsilon
from mpmath import mp, mpf
from scipy.optimize import brentq

from dpsampling.errors import InputError
from dpsampling.mechanisms.calibration import largest_scale
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.families.dirichlet_categorical import DirichletCategorical
from dpsampling.mechanisms.families.gaussian_mean import GaussianMean
from dpsampling.mechanisms.gaussian_statistic import GaussianStatistic
from dpsampling.mechanisms.one_posterior_sample import OnePosteriorSample
from dpsampling.mechanisms.posterior import ConcentratedPosterior, DiffusedPosterior, DirectPosterior
from dpsampling.mechanisms.statistical_query import StatisticalQuery
from dpsampling.privacy.accounting import best_order, delta_at, epsilon_at_order, level_at_order, to_approximate
from dpsampling.privacy.guarantee import Approximate, Renyi
from dpsampling.privacy.ledger import Ledger, Release

BETA = BetaBernoulli()
CASES = [
    (DiffusedPosterior, BETA, (6, 18), 100, 1.0, 1e-6),
    (DiffusedPosterior, BETA, (0.05, 0.1), 10**6, 0.01, 1e-3),
    (ConcentratedPosterior, BETA, (6, 18), 100, 1e-6, 1e-12),
    (ConcentratedPosterior, BETA, (1, 2), 10, 20.0, 1e-9),
    (DiffusedPosterior, DirichletCategorical(), (2, 3, 9), 100, 0.3, 1e-6),
    (ConcentratedPosterior, GaussianMean(1.0, 3.0), (0, 4), 100, 0.3, 1e-6),
    (DiffusedPosterior, BETA, (0.05, 0.1), 10, 1e-3, 0.3),  # by KL alone
]


@pytest.mark.parametrize(("kind", "family", "prior", "n", "epsilon", "delta"), CASES)
def test_the_promise_is_kept_and_by_nothing_less_distorted(kind, family, prior, n, epsilon, delta):
    mechanism = kind.calibrate(family, prior, n, epsilon=epsilon, delta=delta)
    assert mechanism.scale < 1
    assert to_approximate(mechanism.guarantee, delta).epsilon <= epsilon
    assert delta_at(mechanism.guarantee, epsilon) <= delta * (1 + 1e-12)
    less = kind(family, prior, n, mechanism.scale * (1 + 1e-6))
    assert to_approximate(less.guarantee, delta).epsilon > epsilon


@pytest.mark.parametrize(
    ("kind", "family", "prior", "n", "epsilon", "delta"),
    [CASES[0], *(pytest.param(*case, marks=pytest.mark.slow) for case in (CASES[3], CASES[4]))],
)
def test_no_order_of_ten_thousand_allows_more(kind, family, prior, n, epsilon, delta):
    mechanism = kind.calibrate(family, prior, n, epsilon=epsilon, delta=delta)
    excess = np.geomspace(1e-6, 1e6, 10_000)
    levels = np.array([level_at_order(epsilon, 1 + t, delta) for t in excess.tolist()])
    orders, levels = 1 + excess[levels > 0], levels[levels > 0]
    assert len(levels) > 3000
    prior = family.check_prior(prior)
    scales = largest_scale(lambda scale: kind.promised(family, prior, n, orders, scale), levels)
    assert mechanism.scale * (1 + 1e-9) >= scales.max() >= mechanism.scale * (1 - 1e-4)
    found = to_approximate(mechanism.guarantee, delta).epsilon
    beside = [epsilon_at_order(mechanism.guarantee.epsilon(order), order, delta) for order in orders[::20].tolist()]
    assert found <= min(beside)


def gaussian_epsilon(sigma, delta):
    """min over t of (1 + t)/(2σ²) + ln t − ln(1 + t) + [ln 1/δ − ln(1 + t)]/t, by its derivative."""
    with mp.workdps(40):
        rate, log_delta = 1 / (2 * mpf(sigma) ** 2), mp.log(mpf(delta))

        def bound(t):
            return rate * (1 + t) - mp.log1p(1 / t) - (log_delta + mp.log1p(t)) / t

        # t² times the derivative: ρt² + ln(δ(1 + t)).
        t = mp.findroot(lambda t: rate * t * t + log_delta + mp.log1p(t), mp.sqrt(-log_delta / rate))
        return bound(t)


@pytest.mark.parametrize("delta", [1e-12, 1e-6, 1e-2])
@pytest.mark.parametrize("sigma", [0.01, 0.3, 1.0, 5.0, 300.0])
def test_conversion_is_the_least_bound_to_nine_digits(sigma, delta):
    exact = gaussian_epsilon(sigma, delta)
    if exact < 1e-3:
        return
    rate = float(1 / (2 * mpf(sigma) ** 2)) * (1 + 2.0**-50)
    found = to_approximate(Renyi(lambda order: order * rate), delta).epsilon
    assert exact <= mpf(found) <= exact * (1 + mpf("1e-9"))


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-6), (0.01, 1e-3), (8.0, 1e-9), (50.0, 1e-6)])
def test_gaussian_noise_is_that_of_dp_accounting(epsilon, delta):
    mechanism = GaussianStatistic.calibrate(BETA, (6, 18), 100, epsilon=epsilon, delta=delta)
    orders = 1 + np.geomspace(0.02, 1e5, 20_000)

    def excess(log_sigma):
        return compute_epsilon(orders.tolist(), (orders / (2 * math.exp(2 * log_sigma))).tolist(), delta)[0] - epsilon

    sigma = math.exp(brentq(excess, math.log(mechanism.sigma) - 0.01, math.log(mechanism.sigma) + 0.01, xtol=1e-12))
    assert mechanism.sigma == pytest.approx(sigma, rel=1e-6)
    assert mechanism.sigma <= sigma * (1 + 1e-9)  # it has more orders to choose from
    less = GaussianStatistic(BETA, (6, 18), 100, mechanism.sigma / (1 + 1e-6))
    assert to_approximate(mechanism.guarantee, delta).epsilon <= epsilon
    assert to_approximate(less.guarantee, delta).epsilon > epsilon


def test_a_query_is_calibrated_by_its_posterior():
    query = StatisticalQuery.calibrate((6, 18), 100, epsilon=1.0, delta=1e-6, algorithm=DiffusedPosterior)
    assert query.posterior.scale == DiffusedPosterior.calibrate(BETA, (6, 18), 100, epsilon=1.0, delta=1e-6).scale


def test_direct_posteriors_are_checked_and_what_is_private_enough_is_not_distorted():
    level = to_approximate(DirectPosterior(BETA, (6, 18), 100).guarantee, 1e-6).epsilon
    assert DirectPosterior.calibrate(BETA, (6, 18), 100, epsilon=level, delta=1e-6).scale == 1
    reason = r"^epsilon is .* at delta 1e-06; .* cannot reach that .*concentrated posterior\.$"
    with pytest.raises(InputError, match=reason):
        DirectPosterior.calibrate(BETA, (6, 18), 100, epsilon=level * (1 - 1e-9), delta=1e-6)
    assert DiffusedPosterior.calibrate(BETA, (60, 180), 100, epsilon=50.0, delta=1e-6).scale == 1


def test_the_best_order_is_better_than_a_round_one():
    """The planted bug: a search that keeps its first order, or one that is usual."""
    epsilon, delta = 1.0, 1e-6
    best = DiffusedPosterior.calibrate(BETA, (6, 18), 100, epsilon=epsilon, delta=delta)
    for order in (2.0, 8.0, 1 - 2 * math.log(delta) / epsilon):
        level = level_at_order(epsilon, order, delta)
        if level > 0:
            other = DiffusedPosterior.calibrate(BETA, (6, 18), 100, order=order, epsilon=level)
            assert other.scale < best.scale * (1 - 1e-3)


def test_a_calibrated_mechanism_fits_into_its_budget():
    mechanism = DiffusedPosterior.calibrate(BETA, (6, 18), 100, epsilon=1.0, delta=1e-6)
    ledger = Ledger(budget=Approximate(1.0, 1e-6)).charge(Release("a", "diffused", mechanism.guarantee))
    with pytest.raises(InputError, match="above the budget"):
        ledger.charge(Release("a", "diffused", mechanism.guarantee))


@pytest.mark.parametrize("kind", [DiffusedPosterior, DirectPosterior, StatisticalQuery, GaussianStatistic])
def test_exactly_one_of_order_and_delta(kind):
    calibrate = partial(kind.calibrate, *([] if kind is StatisticalQuery else [BETA]), (6, 18), 100, epsilon=1.0)
    with pytest.raises(InputError, match=r"^order and delta: neither .*\.$"):
        calibrate()
    with pytest.raises(InputError, match=r"^order and delta: both .*\.$"):
        calibrate(order=2.0, delta=1e-6)
    for delta in (0.0, 1.0, -1.0, math.nan):
        with pytest.raises(InputError, match=r"^delta is .*\.$"):
            calibrate(delta=delta)


def test_what_is_printed_is_for_an_order():
    with pytest.raises(InputError, match=r"^calibration is 'printed'.*\.$"):
        GaussianStatistic.calibrate(BETA, (6, 18), 100, epsilon=1.0, delta=1e-6, calibration="printed")


def test_a_promise_that_is_a_billionth_too_small_is_an_error(monkeypatch):
    """The planted bug: a curve that is (1 − 10⁻⁹) of itself; the search believes it, the enclosure does not."""
    promised = DiffusedPosterior.promised
    monkeypatch.setattr(DiffusedPosterior, "promised", classmethod(lambda cls, *rest: promised(*rest) * (1 - 1e-9)))
    reason = r"^epsilon is 1 at delta 1e-06 by order .* exact level in .* smaller epsilon\.$"
    with pytest.raises(InputError, match=reason):
        DiffusedPosterior.calibrate(BETA, (6, 18), 100, epsilon=1.0, delta=1e-6)


@pytest.mark.parametrize("temperature", [1.0, 5.0, 1e6])
def test_curves_by_quadrature_convert_at_the_best_order_too(temperature):
    mechanism = OnePosteriorSample(BETA, (1, 2), 3, 0.05, temperature)
    curve, pure = mechanism.renyi_guarantee, mechanism.guarantee.epsilon
    found = best_order(curve, 1e-6)
    excess = np.geomspace(1e-6, 1e7, 60).tolist()
    bounds = [epsilon_at_order(curve.epsilon(1 + t), 1 + t, 1e-6) for t in excess]
    assert found.value <= min(*bounds, pure)


def test_best_orders_of_curves_with_a_kink():
    """The maximum of two lines: the least bound is where they cross, or beside it."""
    curve = Renyi(lambda order: max(0.01 * order, 0.1 * order - 2.0))
    found = best_order(curve, 1e-6)
    excess = np.append(np.linspace(0.1, 60, 10_000), 200 / 9 - 1)
    bounds = [epsilon_at_order(curve.epsilon(1 + t), 1 + t, 1e-6) for t in excess.tolist()]
    assert found.value == pytest.approx(min(bounds), rel=1e-9)
    assert found.order == pytest.approx(200 / 9, rel=1e-6)
