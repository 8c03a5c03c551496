"""Δ, T and 2Δ/T against 50 digits: never too small, hardly too large, and the same wherever OPS is."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from mpmath import mp, mpf

from dpsampling.errors import InputError
from dpsampling.event_logs.mechanisms import OnePosteriorSample as WarlogSample
from dpsampling.mechanisms import tempering
from dpsampling.mechanisms.exponential import ExponentialMechanism
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.markov_chains import AnnealedImportanceSampler, MetropolisChain
from dpsampling.mechanisms.one_posterior_sample import OnePosteriorSample

EPSILONS = (1e-8, 0.1, 0.178, 0.316, 0.562, 1.0, 1.78, 3.16, 5.62, 10.0, 1e3)


def true_delta(a0: float, outcomes: int) -> mpf:
    return mpmath.log((1 - (outcomes - 1) * mpf(a0)) / mpf(a0))


def settings():
    rng = np.random.default_rng(1)
    for outcomes in (2, 3, 10, 149):
        for a0 in (1e-300, 1e-9, *rng.uniform(0, 1, 20), 1 - 1e-9, 1 - 1e-13):
            yield a0 / outcomes, outcomes


def test_promises_are_kept_and_hardly_more_than_kept():
    with mp.workdps(50):
        for a0, outcomes in settings():
            delta, exact = tempering.sensitivity(a0, outcomes), true_delta(a0, outcomes)
            assert abs(mpf(delta) / exact - 1) < mpf(2) ** -50
            assert tempering.cost(delta) >= 2 * exact
            for epsilon in EPSILONS:
                t = tempering.temperature(delta, epsilon)
                assert t >= 1
                assert 2 * exact / mpf(t) <= tempering.cost(delta, t) <= epsilon
                if t > 1:
                    assert t * mpf(epsilon) <= 2 * exact * (1 + mpf(2) ** -39)


def test_rounding_to_nearest_would_break_promises():
    """The planted bug: without the outward rounding, some temperature costs more than its ε."""
    with mp.workdps(50):
        broken = [
            (a0, epsilon)
            for a0, outcomes in settings()
            for epsilon in EPSILONS
            if (t := 2.0 * tempering.sensitivity(a0, outcomes) / epsilon) > 1
            and 2 * true_delta(a0, outcomes) / mpf(t) > epsilon
        ]
    assert broken


@pytest.mark.parametrize("sizes", [(13, 149, 2, 2, 2), (10, 107, 2, 2, 2)])
@pytest.mark.parametrize("multiplier", [10.0, 100.0])
def test_records_of_several_features_add_their_sensitivities(sizes, multiplier):
    """With a₀ = 1/(M K) it is Σ ln(M K − K + 1), whose sum as floats is the same number."""
    printed = math.fsum(math.log(multiplier * k - k + 1.0) for k in sizes)
    for epsilon in EPSILONS[1:-1]:
        ops = WarlogSample(epsilon, multiplier)
        assert ops.sensitivity(sizes) == printed
        with mp.workdps(50):
            exact = sum(true_delta(float(a0), k) for a0, k in zip(ops.floors(sizes), sizes, strict=True))
            assert 2 * exact / mpf(ops.temperature(sizes)) <= epsilon
        assert ops.update(sizes) == epsilon


def test_all_who_temper_do_it_alike():
    delta = tempering.sensitivity(0.1)
    assert ExponentialMechanism(delta, 0.5).temperature == tempering.temperature(delta, 0.5)
    assert ExponentialMechanism(delta, 50.0).temperature < 1 == tempering.temperature(delta, 50.0)
    assert MetropolisChain((1.0, 2.0), 10, 0.1, 0.5, 0.1).temperature == tempering.temperature(delta, 0.5)
    assert WarlogSample(0.5, 5.0).temperature((2,)) == tempering.temperature(delta, 0.5)


def truncations():
    """From the smallest to the largest that leave a window, tame and awkward ones."""
    rng = np.random.default_rng(2)
    yield from (2.0**-53, math.nextafter(2.0**-53, 1.0), 1.2e-16, 0.05, 0.1, 0.2, math.nextafter(0.5, 0.0))
    yield from np.exp(rng.uniform(math.log(2.0**-53), math.log(0.5), 500)).tolist()


def test_a_window_ends_at_the_last_float_that_is_not_beyond_1_less_a0():
    beyond = 0
    for a0 in truncations():
        high = tempering.upper_end(a0)
        assert a0 < high
        assert Fraction(high) <= 1 - Fraction(a0) < Fraction(math.nextafter(high, 2.0))
        beyond += 1.0 - a0 > high
    assert beyond > 100  # the planted bug: fl(1 − a₀)


@pytest.mark.parametrize("a0", [math.nextafter(2.0**-53, 0.0), 1e-17, 1e-300])
def test_a_window_that_floats_cannot_keep_is_refused(a0):
    for make in (
        lambda: tempering.upper_end(a0),
        lambda: MetropolisChain((1, 2), 3, a0, 1.0, 0.5),
        lambda: AnnealedImportanceSampler((1, 2), 3, a0, (1.0, 0.5), 2, 1.0),
        lambda: OnePosteriorSample(BetaBernoulli(), (1, 2), 3, a0).simulate_probability(1, np.random.default_rng(1)),
    ):
        with pytest.raises(InputError, match=r"truncation is .*raise it"):
            make()


def test_what_has_no_temperature_is_refused():
    for a0, says in ((0.0, "truncate the probabilities"), (0.25, r"below 0\.25"), (math.nan, "must lie above 0")):
        with pytest.raises(InputError, match=says):
            tempering.sensitivity(a0, 4)
    for epsilon in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(InputError, match="epsilon"):
            tempering.temperature(1.0, epsilon)
    with pytest.raises(InputError, match="temperature"):
        tempering.temperature(1.0, 1e-320)
