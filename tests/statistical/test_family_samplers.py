r"""Samplers of the families and of the statistical query against their laws, with both error rates stated.

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
from dpsampling.mechanisms.posterior import ConcentratedPosterior, DiffusedPosterior, DirectPosterior
from dpsampling.mechanisms.statistical_query import StatisticalQuery
from telling_apart import allowed, distance_on_grid

assert_told_apart = partial(telling_apart.assert_told_apart, seed=11, most=500_000)

BETA, DIRICHLET, GAUSSIAN = BetaBernoulli(), DirichletCategorical(), GaussianMean(variance=2.25, bound=1.5)
FACTORS = [0.7, 1.3]

# -- posteriors of every family ------------------------------------------------------------------------------------


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


MEAN_PRIOR, SUM = (8.0, 4.0), -60.0
BETA_PRIOR, VALUES = (6.0, 18.0), np.linspace(0, 0.2, 60)
THETA, LOGIT, RHO = np.linspace(-4, 4, 4001), np.linspace(-12, 12, 4001), np.linspace(0, 1, 4001)


def logit_beta_cdf(alpha, beta):
    return betainc(alpha, beta, expit(LOGIT))


def normal_cdf(mean, variance):
    return ndtr((THETA - mean) / math.sqrt(variance))


def gaussian_moments(data_weight, prior_weight):
    """Mean and variance of θ = μ/σ², where μ has a mean over N records and variance σ²/N; by hand."""
    records = prior_weight * 4 + data_weight * 60
    return (prior_weight * 8 - data_weight * 60) / records / 2.25, 1 / (2.25 * records)


def answers(posterior, values=VALUES):
    query = StatisticalQuery(posterior)
    return lambda size, rng: query.simulate(query.statistic(values), rng, size)


def viewed(view):
    look, pair = VIEWS[view]
    return (
        lambda kind, s: lambda size, rng: look(kind(DIRICHLET, PRIOR, N, s).simulate(COUNTS, rng, size)),
        lambda r, w: logit_beta_cdf(*pair(dirichlet_shapes(r, w))),
        LOGIT,
    )


# Draws of an algorithm at a scale, their distribution function by the weights of data and prior, and its grid.
POSTERIORS = {
    "Bernoulli": (
        lambda kind, s: lambda size, rng: kind(BETA, BETA_PRIOR, 100, s).simulate(32, rng, size),
        lambda r, w: logit_beta_cdf(6 * w + 32 * r, 12 * w + 68 * r),
        LOGIT,
    ),
    **{view: viewed(view) for view in VIEWS},
    "Gaussian": (
        lambda kind, s: lambda size, rng: kind(GAUSSIAN, MEAN_PRIOR, N, s).simulate(SUM, rng, size),
        lambda r, w: normal_cdf(*gaussian_moments(r, w)),
        THETA,
    ),
    "query": (  # the values add up to 6
        lambda kind, s: answers(kind(BETA, BETA_PRIOR, 60, s)),
        lambda r, w: betainc(6 * w + 6 * r, 12 * w + 54 * r, RHO),
        RHO,
    ),
}


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("scale", [0.05, 0.5])
@pytest.mark.parametrize("kind", [DiffusedPosterior, ConcentratedPosterior])
@pytest.mark.parametrize("name", POSTERIORS)
def test_draws_follow_their_law_and_not_one_at_a_scale_30_percent_off(name, kind, scale, factor):
    draws, cdf_of, grid = POSTERIORS[name]

    def cdf(s):
        return cdf_of(s, 1.0) if kind is DiffusedPosterior else cdf_of(1.0, 1 / s)

    wrong = scale * factor
    assert_told_apart(draws(kind, scale), draws(kind, wrong), cdf(scale), cdf(wrong), grid)


def test_direct_posterior_draws_from_its_beta_and_not_from_that_of_38_successes():
    def sampler(s):
        return lambda size, rng: DirectPosterior(BETA, BETA_PRIOR, 100).simulate(s, rng, size)

    assert_told_apart(sampler(32), sampler(38), logit_beta_cdf(38, 80), logit_beta_cdf(44, 74), LOGIT)


# -- Dirichlet -----------------------------------------------------------------------------------------------------


def test_dirichlet_log_ratios_share_their_denominator():
    # The planted bug draws ln G_d anew for each ratio: every θ_j has its law, their differences do not.
    shapes, size = dirichlet_shapes(0.5, 1.0), 20_000
    rng = np.random.default_rng(5)
    draws = DIRICHLET.sample(shapes, rng, size)
    apart = np.log(rng.standard_gamma(shapes[:3], (size, 3))) - np.log(rng.standard_gamma(shapes[3], (size, 3)))
    threshold = allowed(size)
    look, pair = VIEWS["contrast"]
    assert distance_on_grid(look(draws), logit_beta_cdf(*pair(shapes)), LOGIT) < threshold
    assert distance_on_grid(look(apart), logit_beta_cdf(*pair(shapes)), LOGIT) > threshold
    assert distance_on_grid(apart[:, 0], logit_beta_cdf(shapes[0], shapes[3]), LOGIT) < threshold


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize(
    "sample",
    [
        lambda a, size, rng: DIRICHLET.sample(np.array([a, 2.0, 0.5]), rng, size)[:, 0],
        lambda a, size, rng: BETA.sample(np.array([a, 0.5]), rng, size),
    ],
    ids=["Dirichlet", "Beta"],
)
def test_samplers_keep_their_law_for_shapes_near_zero(sample, factor):
    # At α = 0.001 half of the mass lies below ρ = 1e-301: only the log scale can hold it.
    tiny, last = 1e-3, 0.5
    grid = np.linspace(-12_000, 20, 120)
    with mp.workdps(30):

        def cdf(a):
            laws = (reference.beta_cdf(mpf(a), mpf(last), 1 / (1 + mp.exp(-x))) for x in map(mpf, grid))
            return np.array([float(law) for law in laws])

        right, wrong = cdf(tiny), cdf(tiny * factor)

    def sampler(a):
        return partial(sample, a)

    assert_told_apart(sampler(tiny), sampler(tiny * factor), right, wrong, grid)
    # The planted bug takes Gamma variables as they come: most are 0.
    assert np.mean(np.random.default_rng(1).standard_gamma(tiny, 2000) == 0) > 0.3
    assert np.all(np.isfinite(sample(1e-8, 1000, np.random.default_rng(1))))
    assert np.all(np.isfinite(DIRICHLET.sample(np.array([1e-8, 1e-8, 1e-8]), np.random.default_rng(1), 1000)))


# -- Gaussian ------------------------------------------------------------------------------------------------------


def one_posterior(size, rng):
    return GAUSSIAN.sample(np.array([-52.0, 64.0]), rng, size)


@pytest.mark.parametrize("factor", FACTORS)
def test_gaussian_draws_have_their_deviation_and_not_30_percent_more_or_less(factor):
    mean, variance = gaussian_moments(1.0, 1.0)

    def wrong(size, rng):
        return mean + factor * (one_posterior(size, rng) - mean)

    assert_told_apart(one_posterior, wrong, normal_cdf(mean, variance), normal_cdf(mean, factor**2 * variance), THETA)


def test_gaussian_draws_are_of_theta_and_not_of_the_mean():
    # The planted bug forgets the change of variable μ = σ²θ.
    mean, variance = gaussian_moments(1.0, 1.0)

    def wrong(size, rng):
        return GAUSSIAN.mean(one_posterior(size, rng))

    wrong_cdf = normal_cdf(2.25 * mean, 2.25**2 * variance)
    assert_told_apart(one_posterior, wrong, normal_cdf(mean, variance), wrong_cdf, THETA)


# -- the statistical query -----------------------------------------------------------------------------------------


def test_query_does_not_round_its_predicate():
    # The planted bug counts the values of one half and more, as if they were bits; there are none.
    posterior = DiffusedPosterior(BETA, BETA_PRIOR, 60)
    draws = answers(posterior), answers(posterior, np.round(VALUES))
    assert_told_apart(*draws, betainc(12, 66, RHO), betainc(6, 72, RHO), RHO)
