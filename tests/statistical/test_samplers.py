r"""The Gaussian statistic against the distribution functions of what it claims, with both error rates stated.

For N draws from F, Dvoretzky, Kiefer, Wolfowitz and Massart bound the empirical distribution function's distance:

    Pr(sup |F_N − F| > t) ≤ 2 exp(−2 N t²).

A wrong law at distance D from F is mistaken for it only if its own F_N is D − t away. With t = D/2 and
N = 2 ln(2/α)/D², a right sampler fails and a wrong one passes with probability α at most, for any law, atoms included.
Distances are taken on a grid, which makes both sup's smaller and the argument no weaker.
"""

import math

import numpy as np
import pytest
from scipy.special import betainc, expit, ndtr

import reference
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.gaussian_statistic import GaussianStatistic
from telling_apart import allowed, assert_told_apart, distance_on_grid

FAMILY = BetaBernoulli()
PRIOR, N, SUCCESSES = (6.0, 18.0), 100, 32


THETA = np.linspace(-6, 4, 2001)


def beta_cdf(alpha, beta):
    """Pr(θ ≤ x) = I_{logistic(x)}(α, β)."""
    return betainc(alpha, beta, expit(THETA))


STATISTIC = np.linspace(-1, N + 1, 2041)


def clipped_normal_cdf(sigma, s):
    """Pr(s̃ ≤ t), with its jumps at 0 and n."""
    return np.where(STATISTIC < 0, 0.0, np.where(STATISTIC >= N, 1.0, ndtr((STATISTIC - s) / sigma)))


@pytest.mark.parametrize("factor", [0.7, 1.3])
@pytest.mark.parametrize(("sigma", "s"), [(2.0, 32), (30.0, 32), (5.0, 0), (5.0, 100)])
def test_noisy_statistic_has_its_noise_and_not_30_percent_more_or_less(sigma, s, factor):
    def sampler(deviation):
        return lambda size, rng: GaussianStatistic(FAMILY, PRIOR, N, deviation).simulate_statistic(s, rng, size)

    right, wrong = clipped_normal_cdf(sigma, s), clipped_normal_cdf(sigma * factor, s)
    assert_told_apart(sampler(sigma), sampler(sigma * factor), right, wrong, STATISTIC)


def mixture_cdf(sigma):
    """Pr(θ ≤ x) of the Gaussian statistic: an average of Beta distribution functions over s̃."""
    t, weights = reference.legendre(np.linspace(0, N, 41))
    density = np.exp(-0.5 * ((t - SUCCESSES) / sigma) ** 2) / (sigma * math.sqrt(2 * math.pi))
    laws = betainc(6 + t[:, np.newaxis], 12 + N - t[:, np.newaxis], expit(THETA))
    ends = ndtr(-SUCCESSES / sigma) * beta_cdf(6, 12 + N) + ndtr((SUCCESSES - N) / sigma) * beta_cdf(6 + N, 12)
    return (weights * density) @ laws + ends


@pytest.mark.parametrize("factor", [0.7, 1.3])
@pytest.mark.parametrize("sigma", [5.0, 40.0])
def test_gaussian_release_follows_its_mixture_and_not_one_of_another_noise(sigma, factor):
    def sampler(deviation):
        return lambda size, rng: GaussianStatistic(FAMILY, PRIOR, N, deviation).simulate(SUCCESSES, rng, size)

    assert_told_apart(sampler(sigma), sampler(sigma * factor), mixture_cdf(sigma), mixture_cdf(sigma * factor), THETA)


def test_gaussian_releases_do_not_share_their_noise():
    # A planted bug of one s̃ for all draws has variance of the Beta alone, far below the mixture's.
    draws = GaussianStatistic(FAMILY, PRIOR, N, 20.0).simulate(SUCCESSES, np.random.default_rng(1), 20_000)
    shared = FAMILY.sample(FAMILY.posterior(PRIOR, 40.0, N), np.random.default_rng(1), 20_000)
    cdf = mixture_cdf(20.0)
    assert distance_on_grid(draws, cdf, THETA) < allowed(20_000) < distance_on_grid(shared, cdf, THETA)
