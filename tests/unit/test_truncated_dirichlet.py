"""The block scheme's parts: its acceptance, its edges and what it refuses; its law is tested in tests/statistical."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import betainc, gammainc
from scipy.stats import dirichlet

from dpsampling.errors import InputError
from dpsampling.numerics import truncated_beta, truncated_dirichlet

CASES = {
    "binding in the far tail": ([1e6, 1e5, 1e5], 0.3),
    "warlog cell": ([2e5, 1.0, 1.0], 0.0077),
    "tiny shapes": ([0.01] * 50, 1 / 500),
    "huge and tiny": ([1e6] * 3 + [0.01] * 47, 1 / 500),
    "nearly no room": ([1e6] * 50, 0.9999 / 50),
    "uniform, nearly no room": ([1.0] * 50, 0.999 / 50),
    "all magnitudes": (np.logspace(-2, 6, 50), 1 / 500),
    "smallest first": (np.logspace(-2, 6, 10), 0.099),
    "two": ([0.01, 1e6], 0.1),
}


@pytest.mark.parametrize("name", CASES)
def test_draws_are_exact_and_inside_for_all_shapes(name):
    alpha, minimum = CASES[name]
    draws = truncated_dirichlet.sample(alpha, minimum, np.random.default_rng(1), 5)
    assert draws.exact
    assert draws.trials < 20_000
    assert draws.theta.shape == (5, len(alpha))
    assert np.all(draws.theta >= minimum)
    assert draws.theta.sum(axis=1) == pytest.approx(1, abs=1e-14)
    assert len(np.unique(draws.theta[:, 0])) == 5


def test_acceptance_is_what_the_docstring_says():
    """Trials per draw = M · Z⁻¹ with Z the integral of ∏ θ^{α−1}: K = 2 has all of it in closed form."""
    alpha, minimum, rate, count = np.array([3.0, 2.0]), 0.1, 4.0, 200_000
    large = np.array([False, True])
    accepted = len(truncated_dirichlet.block_trials(alpha, minimum, large, rate, np.random.default_rng(1), count))
    target = math.exp(truncated_beta.log_normalizer(3.0, 2.0, 0.1, 0.9))
    gamma = 2.0 * rate**-3.0 * (gammainc(3.0, 0.9 * rate) - gammainc(3.0, 0.1 * rate))
    peak = (2.0 - 1.0) / rate
    expected = target / (gamma * peak * math.exp(rate * (1 - peak)))
    # Six standard errors: a right scheme fails once in 10⁹.
    assert abs(accepted / count - expected) < 6 * math.sqrt(expected * (1 - expected) / count)


def test_rows_are_prefixes_of_one_stream_and_single_draws_are_cheap():
    alpha, minimum = [3.0, 2.0, 1.0], 0.1
    few = truncated_dirichlet.sample(alpha, minimum, np.random.default_rng(3), 1)
    assert few.theta.shape == (1, 3)
    assert few.trials <= 200


def test_no_truncation_is_the_ordinary_dirichlet():
    theta = truncated_dirichlet.sample([3.0, 2.0, 1.0], 0.0, np.random.default_rng(3), 4000).theta
    assert theta.mean(axis=0) == pytest.approx([0.5, 1 / 3, 1 / 6], abs=0.02)


def test_log_density_is_the_dirichlet_one():
    theta, alpha = np.array([0.2, 0.5, 0.3]), np.array([3.0, 0.5, 20.0])
    assert truncated_dirichlet.log_density(theta, alpha) == pytest.approx(dirichlet.logpdf(theta, alpha), rel=1e-12)


def test_the_chain_takes_over_and_says_so(monkeypatch):
    monkeypatch.setattr(truncated_dirichlet, "TRIALS", 1)
    monkeypatch.setattr(truncated_dirichlet, "block_trials", lambda *_: np.empty((0, 3)))
    draws = truncated_dirichlet.sample([3.0, 2.0, 1.0], 0.1, np.random.default_rng(3), 50)
    assert not draws.exact
    assert draws.theta.shape == (50, 3)
    assert np.all(draws.theta >= 0.1)
    assert draws.theta.sum(axis=1) == pytest.approx(1, abs=1e-12)


def test_truncated_gamma_in_its_bulk_and_tail():
    rng = np.random.default_rng(5)
    x = truncated_dirichlet.truncated_gamma([1e5, 0.01], [2.5e6, 50.0], 0.3, 0.5, rng, (2000, 2))
    assert np.all((x >= 0.3) & (x <= 0.5))
    # Beyond 0.3 the first is nearly exponential, of rate 2.5e6 − 1e5/0.3.
    assert x[:, 0].mean() - 0.3 == pytest.approx(1 / (2.5e6 - 1e5 / 0.3), rel=0.15)


def test_k_2_is_the_truncated_beta():
    theta = truncated_dirichlet.sample([2.0, 5.0], 0.1, np.random.default_rng(6), 3).theta
    same = truncated_beta.sample(2.0, 5.0, 0.1, 0.9, np.random.default_rng(6), 3)
    assert theta[:, 0] == pytest.approx(same, rel=1e-12)
    assert betainc(2.0, 5.0, 0.1) < 0.2


@pytest.mark.parametrize(
    ("alpha", "minimum", "words"),
    [
        ([1.0], 0.1, "two or more"),
        ([1.0, 0.0], 0.1, "above 0"),
        ([1.0, math.nan], 0.1, "above 0"),
        ([1.0, math.inf], 0.1, "at most"),
        ([1.0, 1.0], 0.5, "must lie in"),
        ([1.0, 1.0], -0.1, "must lie in"),
        ([1.0, 1.0], math.nan, "must lie in"),
    ],
)
def test_bad_input_is_refused(alpha, minimum, words):
    with pytest.raises(InputError, match=words):
        truncated_dirichlet.sample(alpha, minimum, np.random.default_rng(1))
