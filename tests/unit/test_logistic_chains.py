"""The reference chain: laws that are known, diagnostics against known values, and what is refused."""

import math

import numpy as np
import pytest
from scipy.special import ndtr

from dpsampling.errors import InputError
from dpsampling.learners.logistic import chains
from dpsampling.learners.logistic.chains import Chains
from dpsampling.learners.logistic.records import Records
from dpsampling.learners.logistic.target import Target
from logistic import apart, far, marginal, records

ANYTHING = Records(np.zeros((2, 2)), [0, 1])  # records without features leave the prior as it is


def test_without_data_it_draws_the_prior_independently():
    """The wrong precision that it would be told from is 20% off."""
    run = chains.run(Target(ANYTHING, 4.0), np.random.default_rng(1), np.zeros((4, 2)), 1000, burn_in=5)
    values = run.points[..., 0].ravel()
    size = run.effective(np.array([1.0, 0.0]))
    assert size > 2000
    assert apart(values, lambda x: ndtr(2 * x)) < far(size)
    assert apart(values * 1.3, lambda x: ndtr(2 * x)) > far(size)


@pytest.mark.parametrize("directions", [None, np.array([[1.0, 1.0], [-0.5, 1.0]])])
def test_with_data_it_has_the_law_of_quadrature(directions):
    target = Target(records(20, 2), 0.5)
    run = chains.run(target, np.random.default_rng(2), np.zeros((4, 2)), 600, burn_in=20, directions=directions)
    for p in (np.array([1.0, 0.0]), np.array([0.6, 0.8])):
        assert run.r_hat(p) < 1.01
        cdf = marginal(target, p)
        assert apart((run.points @ p).ravel(), cdf) < far(run.effective(p))
        assert apart((run.points @ p).ravel() * 1.3, cdf) > far(run.effective(p))


def test_it_keeps_to_the_ball():
    target = Target(ANYTHING, 1.0, radius=1.0)
    square = (chains.run(target, np.random.default_rng(3), np.zeros((2, 2)), 600).points ** 2).sum(axis=2).ravel()
    assert square.max() <= 1.0

    assert apart(square, lambda x: np.expm1(-0.5 * x) / math.expm1(-0.5)) < far(
        300
    )  # of 1200, not far from independent


def test_a_start_outside_the_ball_is_refused():
    with pytest.raises(InputError, match="starts outside the ball of radius 1"):
        chains.run(Target(ANYTHING, 1.0, radius=1.0), np.random.default_rng(3), np.ones((1, 2)), 1)


def autoregressive(phi, chains_, draws, rng):
    x = np.empty((chains_, draws))
    x[:, 0] = rng.standard_normal(chains_) / math.sqrt(1 - phi**2)
    for t in range(1, draws):
        x[:, t] = phi * x[:, t - 1] + rng.standard_normal(chains_)
    return x


@pytest.mark.parametrize("phi", [-0.4, 0.0, 0.5, 0.9])
def test_diagnostics_of_autoregressive_chains(phi):
    """Of N draws with correlation φ^t the effective number is N(1 − φ)/(1 + φ), never more than N here."""
    x = autoregressive(phi, 4, 5000, np.random.default_rng(4))
    run = Chains(np.stack([x, 3.0 * x], axis=2))
    expected = min(20_000 * (1 - phi) / (1 + phi), 20_000)
    for p in (np.array([1.0, 0.0]), np.array([0.0, 1.0])):
        assert run.effective(p) == pytest.approx(expected, rel=0.25)
        assert run.r_hat(p) == pytest.approx(1.0, abs=0.01)


def test_chains_that_disagree_have_the_r_hat_of_the_formula():
    """Two chains that alternate between m ± 1: B/n and W by hand."""
    alternating = np.tile([1.0, -1.0], 50)
    run = Chains(np.stack([alternating, alternating + 4.0])[:, :, None])
    within = 50 / 49  # of each half of 50 values
    between = np.var([0.0, 4.0, 0.0, 4.0], ddof=1)
    assert run.r_hat(np.ones(1)) == pytest.approx(math.sqrt((49 / 50 * within + between) / within), rel=1e-12)
