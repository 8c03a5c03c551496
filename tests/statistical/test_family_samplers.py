r"""Samplers of the Dirichlet, the Gaussian and the statistical query against their laws, with both error rates stated.

For N draws from F, Dvoretzky, Kiefer, Wolfowitz and Massart bound the empirical distribution function's distance:

    Pr(sup |F_N − F| > t) ≤ 2 exp(−2 N t²).

With D the distance between a right law and a wrong one, t = D/2 and N = 2 ln(2/α)/D², a right sampler fails and a wrong
one passes with probability α at most. A vector θ is tested through functions of it whose law is a Beta's: θ_j and
θ_i − θ_j of a Dirichlet are logits of Beta(α_j, α_d) and Beta(α_i, α_j), and ρ_j is Beta(α_j, Σ α − α_j).
"""

import math
from functools import partial

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.special import betainc, expit, logit, ndtr

import reference
import telling_apart
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.families.dirichlet_categorical import DirichletCategorical
from dpsampling.mechanisms.families.gaussian_mean import GaussianMean
from dpsampling.mechanisms.posterior import ConcentratedPosterior, DiffusedPosterior
from dpsampling.mechanisms.statistical_query import StatisticalQuery
from telling_apart import ERROR_RATE, distance_on_grid

assert_told_apart = partial(telling_apart.assert_told_apart, seed=11, most=500_000)

DIRICHLET, GAUSSIAN = DirichletCategorical(), GaussianMean(variance=2.25, bound=1.5)
FACTORS = [0.7, 1.3]


LOGIT = np.linspace(-12, 12, 4001)


def logit_beta_cdf(alpha, beta):
    return betainc(alpha, beta, expit(LOGIT))


# -- Dirichlet -----------------------------------------------------------------------------------------------------

PRIOR, N, COUNTS = np.array([2.0, 1.5, 4.0, 9.0]), 60, np.array([20, 2, 30])
VIEWS = {
    "first log-ratio": (lambda theta: theta[:, 0], lambda a: (a[0], a[3])),
    "contrast": (lambda theta: theta[:, 2] - theta[:, 1], lambda a: (a[2], a[1])),
    "probability": (lambda theta: logit(DIRICHLET.probabilities(theta)[:, 1]), lambda a: (a[1], a[0] + a[2] + a[3])),
    "last probability": (lambda theta: logit(DIRICHLET.probabilities(theta)[:, 3]), lambda a: (a[3], sum(a[:3]))),
}


def dirichlet_shapes(data_weight, prior_weight):
    """Shapes of the posterior by hand: prior (2, 1.5, 4, 1.5) and counts (20, 2, 30, 8)."""
    return prior_weight * np.array([2, 1.5, 4, 1.5]) + data_weight * np.array([20, 2, 30, 8])


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("scale", [0.05, 0.5])
@pytest.mark.parametrize("mechanism", [DiffusedPosterior, ConcentratedPosterior])
def test_dirichlet_draws_follow_their_law_and_not_one_at_a_scale_30_percent_off(mechanism, scale, view, factor):
    look, pair = VIEWS[view]

    def sampler(s):
        return lambda size, rng: look(mechanism(DIRICHLET, PRIOR, N, s).simulate(COUNTS, rng, size))

    def cdf(s):
        weights = (s, 1.0) if mechanism is DiffusedPosterior else (1.0, 1 / s)
        return logit_beta_cdf(*pair(dirichlet_shapes(*weights)))

    assert_told_apart(sampler(scale), sampler(scale * factor), cdf(scale), cdf(scale * factor), LOGIT)


def test_dirichlet_log_ratios_share_their_denominator():
    # The planted bug draws ln G_d anew for each ratio: every θ_j has its law, their differences do not.
    shapes, size = dirichlet_shapes(0.5, 1.0), 20_000
    rng = np.random.default_rng(5)
    draws = DIRICHLET.sample(shapes, rng, size)
    apart = np.log(rng.standard_gamma(shapes[:3], (size, 3))) - np.log(rng.standard_gamma(shapes[3], (size, 3)))
    threshold = math.sqrt(math.log(2 / ERROR_RATE) / (2 * size))
    look, pair = VIEWS["contrast"]
    assert distance_on_grid(look(draws), logit_beta_cdf(*pair(shapes)), LOGIT) < threshold
    assert distance_on_grid(look(apart), logit_beta_cdf(*pair(shapes)), LOGIT) > threshold
    assert distance_on_grid(apart[:, 0], logit_beta_cdf(shapes[0], shapes[3]), LOGIT) < threshold


@pytest.mark.parametrize("factor", FACTORS)
def test_dirichlet_sampler_keeps_its_law_for_shapes_near_zero(factor):
    # At α = 0.001 half of the mass lies below ρ = 1e-301: only the log scale can hold it.
    tiny, last = 1e-3, 0.5
    grid = np.linspace(-12_000, 20, 120)
    with mp.workdps(30):

        def cdf(a):
            laws = (reference.beta_cdf(mpf(a), mpf(last), 1 / (1 + mp.exp(-x))) for x in map(mpf, grid))
            return np.array([float(law) for law in laws])

        right, wrong = cdf(tiny), cdf(tiny * factor)

    def sampler(a):
        return lambda size, rng: DIRICHLET.sample(np.array([a, 2.0, last]), rng, size)[:, 0]

    assert_told_apart(sampler(tiny), sampler(tiny * factor), right, wrong, grid)
    # The planted bug takes Gamma variables as they come: most are 0.
    naive = np.random.default_rng(1).standard_gamma(tiny, 2000)
    assert np.mean(naive == 0) > 0.3
    assert np.all(np.isfinite(DIRICHLET.sample(np.array([1e-8, 1e-8, 1e-8]), np.random.default_rng(1), 1000)))


# -- Gaussian ------------------------------------------------------------------------------------------------------

MEAN_PRIOR, SUM = (8.0, 4.0), -60.0
THETA = np.linspace(-4, 4, 4001)


def normal_cdf(mean, variance):
    return ndtr((THETA - mean) / math.sqrt(variance))


def gaussian_moments(data_weight, prior_weight):
    """Mean and variance of θ = μ/σ², where μ has a mean over N records and variance σ²/N; by hand."""
    records = prior_weight * 4 + data_weight * 60
    return (prior_weight * 8 - data_weight * 60) / records / 2.25, 1 / (2.25 * records)


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("scale", [0.05, 0.5])
@pytest.mark.parametrize("mechanism", [DiffusedPosterior, ConcentratedPosterior])
def test_gaussian_draws_follow_their_law_and_not_one_at_a_scale_30_percent_off(mechanism, scale, factor):
    def sampler(s):
        return lambda size, rng: mechanism(GAUSSIAN, MEAN_PRIOR, N, s).simulate(SUM, rng, size)

    def cdf(s):
        weights = (s, 1.0) if mechanism is DiffusedPosterior else (1.0, 1 / s)
        return normal_cdf(*gaussian_moments(*weights))

    assert_told_apart(sampler(scale), sampler(scale * factor), cdf(scale), cdf(scale * factor), THETA)


@pytest.mark.parametrize("factor", FACTORS)
def test_gaussian_draws_have_their_deviation_and_not_30_percent_more_or_less(factor):
    mean, variance = gaussian_moments(1.0, 1.0)

    def sampler(size, rng):
        return GAUSSIAN.sample(np.array([-52.0, 64.0]), rng, size)

    def wrong(size, rng):
        return mean + factor * (sampler(size, rng) - mean)

    assert_told_apart(sampler, wrong, normal_cdf(mean, variance), normal_cdf(mean, factor**2 * variance), THETA)


def test_gaussian_draws_are_of_theta_and_not_of_the_mean():
    # The planted bug forgets the change of variable μ = σ²θ.
    mean, variance = gaussian_moments(1.0, 1.0)

    def sampler(size, rng):
        return GAUSSIAN.sample(np.array([-52.0, 64.0]), rng, size)

    def wrong(size, rng):
        return GAUSSIAN.mean(sampler(size, rng))

    wrong_cdf = normal_cdf(2.25 * mean, 2.25**2 * variance)
    assert_told_apart(sampler, wrong, normal_cdf(mean, variance), wrong_cdf, THETA)


# -- the statistical query -----------------------------------------------------------------------------------------

BETA_PRIOR, VALUES = (6.0, 18.0), np.linspace(0, 0.2, 60)
RHO = np.linspace(0, 1, 4001)


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("scale", [0.05, 0.5])
@pytest.mark.parametrize("mechanism", [DiffusedPosterior, ConcentratedPosterior])
def test_query_answers_follow_their_beta_and_not_one_at_a_scale_30_percent_off(mechanism, scale, factor):
    def sampler(s):
        query = StatisticalQuery(mechanism(BetaBernoulli(), BETA_PRIOR, 60, s))
        return lambda size, rng: query.simulate(query.statistic(VALUES), rng, size)

    def cdf(s):
        r, w = (s, 1.0) if mechanism is DiffusedPosterior else (1.0, 1 / s)
        return betainc(6 * w + 6 * r, 12 * w + 54 * r, RHO)  # the values add up to 6

    assert_told_apart(sampler(scale), sampler(scale * factor), cdf(scale), cdf(scale * factor), RHO)


def test_query_does_not_round_its_predicate():
    # The planted bug counts the values of one half and more, as if they were bits; there are none.
    query = StatisticalQuery(DiffusedPosterior(BetaBernoulli(), BETA_PRIOR, 60))

    def right(size, rng):
        return query.simulate(query.statistic(VALUES), rng, size)

    def wrong(size, rng):
        return query.simulate(query.statistic(np.round(VALUES)), rng, size)

    assert_told_apart(right, wrong, betainc(12, 66, RHO), betainc(6, 72, RHO), RHO)
