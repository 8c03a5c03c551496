"""The parts of both schemes: acceptance, edges and what is refused; their law is tested in tests/statistical."""

import math

import mpmath
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
    "corners": ([0.05] * 3, 1e-10),
    "corners beyond the least normal number": ([1e-300, 1e-6, 0.9], 1e-320),
    "many corners": ([1e-3] * 300, 1e-15),
    "one large in a corner": ([1e-6] * 4 + [1e9], 1e-300),
    "large on the floor": ([1e9, 1e-6, 1e-6], 0.1),
}


@pytest.mark.parametrize("name", CASES)
def test_draws_are_exact_and_inside_for_all_shapes(name):
    alpha, minimum = CASES[name]
    draws = truncated_dirichlet.sample(alpha, minimum, np.random.default_rng(1), 5)
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


@pytest.mark.parametrize("alpha", [1e-290, 1e-9, 1e-3, 0.05, 0.5, 0.999])
def test_mass_beyond_a_floor(alpha):
    """The pivots' weights rest on it: an error there is an error of the law."""
    for t in (5e-324, 1e-300, 1e-12, 0.3, 0.999, 1.0, 4.0, 700.0, 1e9):
        with mpmath.workdps(30):
            a, s = mpmath.mpf(alpha), mpmath.mpf(t)
            if t >= 1:
                integral = mpmath.quad(lambda y: (1 + y / s) ** (a - 1) * mpmath.exp(-y), [0, 1, 5, 20, 80]) / s  # noqa: B023
            else:
                integral = mpmath.gammainc(a, s) * mpmath.exp(s) / s**a
            exact = float(mpmath.log(integral))
        assert truncated_dirichlet._log_mass_at_floor(np.array([alpha]), t)[0] == pytest.approx(exact, abs=3e-13)


@pytest.mark.parametrize("count", [3, 10, 100])
def test_trials_are_bounded_for_all_shapes_and_floors(count):
    """At most 2 + √(2πK) in the mean, the bound for shapes below 1 and what others were measured at.

    Where that is so, 200 times as many trials accept 100 or fewer with probability e^{−200/8} < 2e-11 at most.
    """
    rng = np.random.default_rng(count)
    bound = 2 + math.sqrt(2 * math.pi * count)
    trials = math.ceil(200 * bound)
    for _ in range(50):
        alpha = 10 ** rng.uniform(-6, rng.choice([-1.0, 0.0, 2.0, 9.0]), count)
        alpha[rng.random(count) < rng.choice([0.0, 0.5])] = rng.choice([0.5, 1.0])
        minimum = rng.choice([10 ** rng.uniform(-300, 0), rng.uniform(0, 1), 1 - 10 ** rng.uniform(-9, 0)]) / count
        assert len(truncated_dirichlet.choose_trials(alpha, minimum)(rng, trials)) > 100, (alpha, minimum)


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
