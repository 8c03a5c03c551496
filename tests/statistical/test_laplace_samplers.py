r"""Samplers of chapter 4 against the laws they claim, with both error rates stated.

Distances of distribution functions are held against the bound of Dvoretzky, Kiefer, Wolfowitz and Massart, as in
test_samplers: a right sampler fails and a wrong one passes with probability below `ERROR_RATE`. Means are held within
six standard errors (2e-9), and a wrong mean must be twelve away.
"""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit

import reference
from dpsampling.mechanisms import expected_error as exact
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.laplace_statistic import LaplaceCounts, LaplaceStatistic
from dpsampling.mechanisms.markov_chains import AnnealedImportanceSampler, MetropolisChain, simulate_weights
from telling_apart import assert_told_apart, cumulated

FAMILY, PRIOR, N = BetaBernoulli(), (6.0, 18.0), 100


def laplace_cdf(x, count, scale):
    z = (x - count) / scale
    return np.where(z < 0, 0.5 * np.exp(np.minimum(z, 0)), 1 - 0.5 * np.exp(-np.maximum(z, 0)))


@pytest.mark.parametrize("factor", [0.5, 0.7, 1.3])
@pytest.mark.parametrize(("projection", "count"), [("zero", 3.0), ("range", 97.0)])
def test_noisy_count_has_scale_2_over_epsilon_and_its_atoms(projection, count, factor):
    epsilon, grid = 0.5, np.linspace(-1, 140, 2821)

    def cdf(scale):
        inside = np.where(grid < 0, 0.0, laplace_cdf(grid, count, scale))
        return np.where(grid >= N, 1.0, inside) if projection == "range" else inside

    def sampler(level):
        counts = LaplaceCounts(level, projection, N)
        return lambda size, rng: counts.simulate([count, N - count], rng, size)[:, 0]

    # Factor .5 is the planted bug of a sensitivity of 1.
    assert_told_apart(sampler(epsilon), sampler(epsilon / factor), cdf(2 / epsilon), cdf(factor * 2 / epsilon), grid)


def test_noisy_count_that_forgets_its_projection_is_caught():
    grid = np.linspace(-10, 20, 601)
    law = laplace_cdf(grid, 2.0, 4.0)
    projected = np.where(grid < 0, 0.0, law)

    def right(size, rng):
        return LaplaceCounts(0.5).simulate([2, 8], rng, size)[:, 0]

    def wrong(size, rng):
        return 2 + rng.laplace(0, 4, size)

    assert_told_apart(right, wrong, projected, law, grid)


@pytest.mark.parametrize("factor", [0.5, 0.7, 1.3])
def test_discrete_noise_is_two_sided_geometric(factor):
    grid = np.arange(60.0)

    def cdf(epsilon):
        q, y = math.exp(-epsilon / 2), np.arange(-500, 501)
        mass = (1 - q) / (1 + q) * q ** np.abs(y)
        return np.array([mass[np.maximum(10 + y, 0) <= x].sum() for x in grid])

    def sampler(epsilon):
        return lambda size, rng: LaplaceCounts(epsilon, noise="discrete").simulate([10, 20], rng, size)[:, 0]

    assert_told_apart(sampler(0.5), sampler(0.5 / factor), cdf(0.5), cdf(0.5 / factor), grid)


@pytest.mark.parametrize("noise", ["continuous", "discrete"])
@pytest.mark.parametrize("factor", [0.5, 0.7, 1.3])
def test_release_follows_the_density(noise, factor):
    grid = np.linspace(-12, 12, 4801)

    def law(epsilon):
        return LaplaceStatistic(FAMILY, PRIOR, N, epsilon, noise=noise)

    def cdf(epsilon):
        density = np.exp(law(epsilon).log_density(grid, 32))
        return np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2) * (grid[1] - grid[0])])

    def sampler(epsilon):
        return lambda size, rng: law(epsilon).simulate(32, rng, size)

    assert_told_apart(sampler(0.2), sampler(0.2 / factor), cdf(0.2), cdf(0.2 / factor), grid)


@pytest.mark.parametrize("projection", ["zero", "range"])
def test_simulated_error_is_the_exact_one(projection):
    n, p, epsilon, size = 40, 0.1, 0.3, 600_000
    rng = np.random.default_rng(5)
    k = rng.binomial(n, p, size)
    errors = np.abs(expit(LaplaceStatistic(FAMILY, (1.0, 2.0), n, epsilon, projection).simulate(k, rng)) - p)
    standard_error = errors.std() / math.sqrt(size)
    gap = abs(errors.mean() - exact.exact_l1_error_laplace((1.0, 2.0), n, p, epsilon, projection))
    assert gap < 6 * standard_error
    # Half of the noise and the other projection are seen.
    assert abs(errors.mean() - exact.exact_l1_error_laplace((1.0, 2.0), n, p, 2 * epsilon)) > 12 * standard_error
    other = "zero" if projection == "range" else "range"
    assert abs(errors.mean() - exact.exact_l1_error_laplace((1.0, 2.0), n, p, epsilon, other)) > 12 * standard_error


# -- Markov chains -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("factor", [0.7, 1.3])
def test_chain_forgets_its_start_and_keeps_the_tempered_posterior(factor):
    grid, successes = np.linspace(0.05, 0.95, 901), 12

    def chain(epsilon):
        return MetropolisChain((1.0, 2.0), 40, 0.05, epsilon, 0.5, 60)

    def cdf(epsilon):
        temperature = 2 * math.log(19) / epsilon
        return cumulated(lambda p: (12 * np.log(p) + 28 * np.log1p(-p)) / temperature, grid)

    def sampler(epsilon):
        return lambda size, rng: chain(epsilon).simulate(successes, rng, size, start=0.9).states[-1]

    assert_told_apart(sampler(2.0), sampler(2.0 * factor), cdf(2.0), cdf(2.0 * factor), grid)


def test_chain_rejects_as_often_as_quadrature_says():
    chain, size = MetropolisChain((2.0, 5.0), 50, 0.1, 2.0, 0.3), 200_000
    for start, successes in ((0.15, 10), (0.3, 15), (0.85, 50), (0.5, 0)):
        rejected = 1 - chain.simulate(successes, np.random.default_rng(2), size, start).accepted.mean()
        assert rejected == pytest.approx(chain.rejection(start, successes), abs=6 * 0.5 / math.sqrt(size))


@pytest.mark.parametrize("planted", [None, "no temperature", "last temperature twice"])
def test_annealing_weights_estimate_the_ratio_of_constants(planted):
    """E ω = Z₀/Z_m, with Z_j = ∫ (p^s (1−p)^t)^{β_j} dp on [a₀, 1 − a₀]."""
    a0, successes, n, size = 0.1, 6, 20, 200_000
    top = 2 * math.log(9)
    sampler = AnnealedImportanceSampler((1.0, 2.0), n, a0, (top, 0.6 * top, 0.3 * top, 0.1 * top), size, 1.0)
    samples, log_weights = sampler.anneal(successes, np.random.default_rng(11))
    if planted == "no temperature":
        log_weights = log_weights / 0.9
    if planted == "last temperature twice":
        log_weights = log_weights - 0.1 * (successes * np.log(samples) + (n - successes) * np.log1p(-samples))

    def constant(beta):
        whole = quad(lambda p: (p**successes * (1 - p) ** (n - successes)) ** beta, a0, 1 - a0, epsabs=0, epsrel=1e-10)
        return whole[0]

    weights = np.exp(log_weights) / (constant(1.0) / constant(0.1))
    error = abs(weights.mean() - 1) / (weights.std() / math.sqrt(size))
    assert error < 6 if planted is None else error > 12
    if planted is None:
        mean = reference.adaptive(lambda p: p ** (successes + 1) * (1 - p) ** (n - successes), [a0, 1 - a0])
        mean /= constant(1.0)
        assert np.average(samples, weights=weights) == pytest.approx(mean, abs=0.003)


@pytest.mark.parametrize("factor", [0.5, 0.7, 1.3])
def test_weights_are_released_with_noise_of_scale_2_over_epsilon(factor):
    grid = np.linspace(-30, 30, 2401)

    def sampler(epsilon):
        return lambda size, rng: simulate_weights(np.full(size, 1 / size), epsilon, rng) - 1 / size

    cdf, wrong = laplace_cdf(grid, 0, 4.0), laplace_cdf(grid, 0, 4.0 * factor)
    assert_told_apart(sampler(0.5), sampler(0.5 / factor), cdf, wrong, grid)
