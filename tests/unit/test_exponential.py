"""The exponential mechanism: its law, its price for every pair of neighbours, and what it refuses."""

import math
from itertools import product

import numpy as np
import pytest

from dpsampling.errors import InputError
from dpsampling.mechanisms.exponential import ExponentialMechanism
from dpsampling.privacy.guarantee import Pure


def test_probabilities_are_the_softmax_of_the_boltzmann_energies():
    mechanism = ExponentialMechanism(sensitivity=2.0, epsilon=0.5)
    assert 8.0 <= mechanism.temperature <= 8.0 * (1 + 1e-12)  # never below: that would cost more than ε
    u = np.array([3.0, -1.0, 0.5])
    weights = [math.exp(0.5 * x / 4.0) for x in u]
    assert mechanism.probabilities(u) == pytest.approx(np.array(weights) / sum(weights), rel=1e-14)
    assert np.exp(mechanism.log_probabilities(u + 1e5)) == pytest.approx(mechanism.probabilities(u), rel=1e-9)


def test_epsilon_is_exhausted_and_never_exceeded():
    """Every change of the utilities by at most Δ: the worst costs nearly ε when one outcome has little mass."""
    mechanism = ExponentialMechanism(sensitivity=1.0, epsilon=0.8)
    base = np.array([0.0, -12.0, -12.0])
    worst = 0.0
    for change in product((-1.0, 0.0, 1.0), repeat=3):
        ratio = mechanism.log_probabilities(base + change) - mechanism.log_probabilities(base)
        worst = max(worst, float(np.max(np.abs(ratio))))
        assert ratio.max() - ratio.min() <= 0.8 + 1e-12  # bounded range
    assert mechanism.guarantee == Pure(0.8)
    assert 0.79 < worst <= 0.8
    # Forgetting the 2 of 2Δ would break the promise.
    assert 2 * worst > 0.8


@pytest.mark.parametrize("order", [1.01, 2.0, 7.0, 60.0])
def test_renyi_curve_holds_for_every_change(order):
    mechanism = ExponentialMechanism(sensitivity=1.0, epsilon=0.8)
    rng = np.random.default_rng(1)
    worst = 0.0
    for _ in range(2000):
        base, change = rng.normal(size=4) * 8, rng.choice([-1.0, 1.0], size=4)
        p, q = mechanism.log_probabilities(base), mechanism.log_probabilities(base + change)
        worst = max(worst, math.log(np.sum(np.exp(order * p + (1 - order) * q))) / (order - 1))
    promised = mechanism.renyi_guarantee.epsilon(order)
    assert 0.5 * promised < worst <= promised


def test_ranged_sensitivity_drops_the_factor_two():
    mechanism = ExponentialMechanism(sensitivity=1.0, epsilon=0.8, ranged=True)
    base = np.array([0.0, -12.0, 3.0])
    worst = max(
        float(np.max(np.abs(mechanism.log_probabilities(base + change) - mechanism.log_probabilities(base))))
        for change in product((0.0, 1.0), repeat=3)
    )
    assert 0.7 < worst <= 0.8


def test_draws_over_the_last_axis():
    mechanism = ExponentialMechanism(sensitivity=1.0, epsilon=100.0)
    drawn = mechanism.simulate(np.array([[0.0, 5.0, 1.0], [9.0, 5.0, 1.0]]), np.random.default_rng(1), 50)
    assert drawn.shape == (50, 2)
    assert np.all(drawn == [1, 0])


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_bad_levels_are_refused(value):
    with pytest.raises(InputError, match="sensitivity"):
        ExponentialMechanism(value, 1.0)
    with pytest.raises(InputError, match="epsilon"):
        ExponentialMechanism(1.0, value)


def test_bad_utilities_are_refused():
    mechanism = ExponentialMechanism(1.0, 1.0)
    for bad in ([], 3.0):
        with pytest.raises(InputError, match="nothing to choose"):
            mechanism.probabilities(bad)
    for worse in (math.nan, math.inf, -math.inf):
        with pytest.raises(InputError, match="finite"):
            mechanism.simulate([0.0, worse], np.random.default_rng(1))
    with pytest.raises(InputError, match="ratio"):
        ExponentialMechanism(1e-300, 1e300)
