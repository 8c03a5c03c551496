"""Algorithms 1–3: what they draw from, what they promise, what they refuse."""

import itertools
import math

import numpy as np
import pytest

import reference
from dpsampling.errors import InputError
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.posterior import ConcentratedPosterior, DiffusedPosterior, DirectPosterior
from dpsampling.privacy.guarantee import Relation

FAMILY = BetaBernoulli()
PRIOR = (6.0, 18.0)
SCALED = [DiffusedPosterior, ConcentratedPosterior]


def exact_weights(mechanism, scale):
    """r on the data or 1/m on the prior, as real numbers."""
    return {"data_weight": scale} if mechanism is DiffusedPosterior else {"prior_weight": 1 / reference.mpf(scale)}


def test_output_parameters_are_those_of_algorithms_1_to_3():
    assert np.array_equal(DirectPosterior(FAMILY, PRIOR, 100).output_parameter(32), [38, 80])
    assert np.array_equal(DiffusedPosterior(FAMILY, PRIOR, 100, 0.5).output_parameter(32), [22, 46])
    assert np.array_equal(ConcentratedPosterior(FAMILY, PRIOR, 100, 0.25).output_parameter(32), [56, 116])


@pytest.mark.parametrize("mechanism", SCALED)
@pytest.mark.parametrize("scale", [1.0, 0.5, 0.01])
def test_guarantee_curve_is_the_worst_case_level_rounded_outwards(mechanism, scale):
    guarantee = mechanism(FAMILY, PRIOR, 100, scale).guarantee
    for order in (1.001, 2.0, 6.9):
        exact = reference.worst_renyi(PRIOR, 100, order, **exact_weights(mechanism, scale))
        promised = guarantee.epsilon(order)
        assert promised >= exact
        # The margin of 2^-40 on the value, and next to the pole at 7 that of the scale.
        assert promised <= exact * (1 + 1e-11)


@pytest.mark.parametrize("mechanism", SCALED)
@pytest.mark.parametrize("scale", [1.0, 0.9, 0.1])
def test_asymptote_stands_at_one_plus_six_over_the_scale(mechanism, scale):
    guarantee = mechanism(FAMILY, PRIOR, 100, scale).guarantee
    assert guarantee.horizon == pytest.approx(1 + 6 / scale, rel=1e-15)
    assert math.isfinite(guarantee.epsilon(guarantee.horizon * (1 - 1e-9)))
    assert guarantee.epsilon(guarantee.horizon) == math.inf
    assert guarantee.epsilon(math.inf) == math.inf


def test_guarantee_says_what_it_rests_on():
    guarantee = DirectPosterior(FAMILY, PRIOR, 100).guarantee
    assert guarantee.relation is Relation.REPLACE_ONE
    assert guarantee.conditions == ("one exact draw",)


def test_declaring_records_public_improves_the_guarantee():
    private = DirectPosterior(FAMILY, PRIOR, 100).guarantee
    partly_public = DirectPosterior(FAMILY, (6.0 + 10, 18.0 + 40), 60).guarantee  # 10 successes of 40 join the prior
    assert partly_public.horizon > private.horizon
    for order in (1.1, 2.0, 6.5):
        assert partly_public.epsilon(order) < private.epsilon(order)


@pytest.mark.parametrize("mechanism", SCALED)
def test_level_grows_with_the_scale_and_with_the_order(mechanism):
    scales, orders = np.geomspace(1e-6, 1, 200), np.array([1.01, 1.5, 2, 5, 15, 100])
    for prior, n in itertools.product([PRIOR, (1.0, 2.0), (0.05, 300.05)], [1, 2, 100]):
        levels = mechanism.divergence(FAMILY, prior, n, orders[:, None], scales[None, :])
        # Equal infinities are no decrease; a few ulps are rounding.
        with np.errstate(invalid="ignore"):
            for axis in (0, 1):
                steps = np.diff(levels, axis=axis)
                assert np.all((steps >= -1e-14 * np.minimum(levels.max(axis, keepdims=True), 1e6)) | np.isnan(steps))


def test_worst_pair_of_statistics_attains_the_guarantee():
    mechanism = DiffusedPosterior(FAMILY, PRIOR, 100, 0.3)
    (s, _), (t, _) = mechanism.worst_pair(2.0)
    exact = reference.worst_renyi(PRIOR, 100, 2.0, data_weight=0.3, pairs=[(s, t)])
    assert mechanism.guarantee.epsilon(2.0) == pytest.approx(float(exact), rel=1e-11)


def test_direct_posterior_calibrates_only_to_what_it_already_is():
    # Both proposals reach the direct posterior above its own level at order 2, .1913 for Beta(6, 12).
    level = float(reference.worst_renyi(PRIOR, 100, 2.0))
    assert level == pytest.approx(0.1913, abs=5e-5)
    above, below = level * (1 + 1e-9), level * (1 - 1e-9)
    assert DirectPosterior.calibrate(FAMILY, PRIOR, 100, order=2.0, epsilon=above).scale == 1
    for mechanism in SCALED:
        assert mechanism.calibrate(FAMILY, PRIOR, 100, order=2.0, epsilon=above).scale == 1
        assert mechanism.calibrate(FAMILY, PRIOR, 100, order=2.0, epsilon=below).scale < 1
    with pytest.raises(InputError, match=r"^epsilon is .*its level there is"):
        DirectPosterior.calibrate(FAMILY, PRIOR, 100, order=2.0, epsilon=below)
    with pytest.raises(InputError, match=r"^epsilon is .*from order 7 on"):
        DirectPosterior.calibrate(FAMILY, PRIOR, 100, order=15.0, epsilon=10.0)


def test_releases_have_the_shape_asked_for_and_follow_the_generator():
    mechanism = DiffusedPosterior(FAMILY, PRIOR, 100, 0.5)
    assert np.shape(mechanism.simulate(32, np.random.default_rng(1))) == ()
    draws = mechanism.simulate(32, np.random.default_rng(1), 5)
    assert draws.shape == (5,)
    assert np.array_equal(draws, mechanism.simulate(32, np.random.default_rng(1), 5))
    assert not np.array_equal(draws, mechanism.simulate(32, np.random.default_rng(2), 5))


@pytest.mark.parametrize("scale", [0, -0.5, 1.1, math.nan])
@pytest.mark.parametrize("mechanism", SCALED)
def test_bad_scale_is_refused_by_name(mechanism, scale):
    with pytest.raises(InputError, match=r"^scale is .*\.$"):
        mechanism(FAMILY, PRIOR, 100, scale)


def test_direct_posterior_has_no_scale():
    with pytest.raises(InputError, match=r"^scale is 0.5; the direct posterior has no scale"):
        DirectPosterior(FAMILY, PRIOR, 100, 0.5)


@pytest.mark.parametrize("mechanism", [DirectPosterior, *SCALED])
@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("order", value) for value in (1, 0.5, -2, math.nan)),
        *(("epsilon", value) for value in (0, -1, math.inf, math.nan)),
        *(("n", value) for value in (0, 2.5)),
        *(("prior", value) for value in ([-1, 3], [6, 12, 18])),
    ],
)
def test_calibration_refuses_bad_input_by_name(mechanism, key, value):
    asked = {"prior": PRIOR, "n": 100, "order": 2.0, "epsilon": 0.1} | {key: value}
    with pytest.raises(InputError, match=rf"^{key} is .*\.$"):
        mechanism.calibrate(FAMILY, asked["prior"], asked["n"], order=asked["order"], epsilon=asked["epsilon"])


def test_a_statistic_that_no_data_has_is_refused():
    for mechanism in (DirectPosterior, *SCALED):
        with pytest.raises(InputError, match=r"^successes is 101"):
            mechanism(FAMILY, PRIOR, 100).output_parameter(101)


@pytest.mark.parametrize("mechanism", SCALED)
def test_a_promise_no_scale_can_keep_is_refused(mechanism):
    with pytest.raises(InputError, match=r"^epsilon is 1e-300; no positive scale"):
        mechanism.calibrate(FAMILY, PRIOR, 100, order=2.0, epsilon=1e-300)


@pytest.mark.parametrize("mechanism", SCALED)
@pytest.mark.parametrize(("order", "lesser"), [(1.05, 0.05), (1.1, 0.05), (1.5, 0.05), (1.05, 1e-4)])
def test_guarantee_holds_at_its_own_order_for_enormous_epsilon(mechanism, order, lesser):
    # The scale stops a few ulps short of the pole, where 1 + α₀/r must not round down to the order itself.
    calibrated = mechanism.calibrate(FAMILY, (lesser, 2 * lesser + 0.1), 10, order=order, epsilon=1000.0)
    assert calibrated.guarantee.epsilon(order) <= 1000.0


@pytest.mark.parametrize("mechanism", SCALED)
def test_guarantee_holds_at_its_own_order_next_to_one(mechanism):
    calibrated = mechanism.calibrate(FAMILY, (0.001, 0.102), 10, order=1.01, epsilon=5000.0)
    assert calibrated.guarantee.epsilon(1.01) <= 5000.0


@pytest.mark.parametrize(("order", "scale"), [(21.0, 0.3), (61.0, 0.1), (7.0, 1.0), (13.0, 0.5)])
@pytest.mark.parametrize("mechanism", SCALED)
def test_an_order_that_is_the_horizon_on_paper_is_one_here(mechanism, order, scale):
    assert mechanism.divergence(FAMILY, PRIOR, 100, order, scale) == math.inf
    assert mechanism(FAMILY, PRIOR, 100, scale).guarantee.epsilon(order) == math.inf
